/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.curator;

import io.lockfence.it.locks.LockContract;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

class WriteLockContractTest extends LockContract {
    @Override
    protected Kind kind() throws Exception {
        return new CuratorKind(
                true, true, "__WRIT__", "", (client, path) -> new InterProcessReadWriteLock(client, path).writeLock());
    }
}
