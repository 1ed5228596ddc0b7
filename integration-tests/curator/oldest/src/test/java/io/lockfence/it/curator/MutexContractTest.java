/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.curator;

import io.lockfence.it.locks.LockContract;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

class MutexContractTest extends LockContract {
    @Override
    protected Kind kind() throws Exception {
        return new CuratorKind(true, true, "lock-", "", InterProcessMutex::new);
    }
}
