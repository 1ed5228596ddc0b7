/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.etcd;

import io.lockfence.it.Etcd;
import io.lockfence.it.locks.LockContract;

/** Against etcd 3.5, which looks whether a waiter's lease has ended. */
class LockOn35ContractTest extends LockContract {
    @Override
    protected Kind kind() {
        return new EtcdKind(Etcd.Version.V3_5);
    }
}
