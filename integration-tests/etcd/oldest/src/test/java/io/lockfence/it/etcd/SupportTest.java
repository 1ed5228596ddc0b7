/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.etcd;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.etcd.EtcdLibrary;
import io.lockfence.it.locks.SupportContract;

class SupportTest extends SupportContract {
    @Override
    protected Library library() {
        return new EtcdLibrary();
    }

    @Override
    protected String anchor() {
        return "io.etcd.jetcd.Lock";
    }
}
