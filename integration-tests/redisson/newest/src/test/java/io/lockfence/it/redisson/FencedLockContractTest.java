/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import io.lockfence.it.locks.LockContract;
import org.redisson.api.RedissonClient;

class FencedLockContractTest extends LockContract {
    @Override
    protected Kind kind() throws Exception {
        return new RedissonKind(RedissonClient::getFencedLock);
    }
}
