/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.curator;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.curator.CuratorLibrary;
import io.lockfence.it.locks.SupportContract;

class SupportTest extends SupportContract {
    @Override
    protected Library library() {
        return new CuratorLibrary();
    }

    @Override
    protected String anchor() {
        return "org.apache.curator.framework.recipes.locks.InterProcessMutex";
    }
}
