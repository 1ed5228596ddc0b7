/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.advisory;

import io.lockfence.bootstrap.Seams;
import io.lockfence.it.locks.LockContract;

class LockContractTest extends LockContract {
    @Override
    protected Kind kind() {
        Seams.connect(recorder, new NoEffects(), recorder.faults::add);
        return new AdvisoryKind();
    }
}
