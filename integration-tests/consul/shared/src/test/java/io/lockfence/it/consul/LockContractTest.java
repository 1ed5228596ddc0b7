/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.consul;

import io.lockfence.it.locks.LockContract;

class LockContractTest extends LockContract {
    @Override
    protected Kind kind() {
        return new ConsulKind();
    }
}
