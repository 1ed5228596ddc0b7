/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.etcd;

import io.lockfence.it.Etcd;
import io.lockfence.it.locks.LockContract;

class LockContractTest extends LockContract {
    @Override
    protected Kind kind() {
        return new EtcdKind(Etcd.Version.V3_4);
    }
}
