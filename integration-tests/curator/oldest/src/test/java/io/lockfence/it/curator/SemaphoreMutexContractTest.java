/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.curator;

import io.lockfence.it.locks.LockContract;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;

class SemaphoreMutexContractTest extends LockContract {
    @Override
    protected Kind kind() throws Exception {
        return new CuratorKind(false, false, "lease-", "/leases", InterProcessSemaphoreMutex::new);
    }
}
