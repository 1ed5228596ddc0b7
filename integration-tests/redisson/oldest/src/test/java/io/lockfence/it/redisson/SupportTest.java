/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.redisson.RedissonLibrary;
import io.lockfence.it.locks.SupportContract;

class SupportTest extends SupportContract {
    @Override
    protected Library library() {
        return new RedissonLibrary();
    }

    @Override
    protected String anchor() {
        return "org.redisson.RedissonLock";
    }
}
