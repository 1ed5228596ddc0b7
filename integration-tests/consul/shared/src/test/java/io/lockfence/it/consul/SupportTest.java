/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.consul;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.consul.ConsulLibrary;
import io.lockfence.it.locks.SupportContract;

class SupportTest extends SupportContract {
    @Override
    protected Library library() {
        return new ConsulLibrary();
    }

    @Override
    protected String anchor() {
        return Clients.ANCHOR;
    }
}
