/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.advisory;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.postgresql.AdvisoryLocksLibrary;
import io.lockfence.it.locks.SupportContract;

class SupportTest extends SupportContract {
    @Override
    protected Library library() {
        return new AdvisoryLocksLibrary();
    }

    @Override
    protected String anchor() {
        return "org.postgresql.Driver";
    }
}
