/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.report.Refused;
import java.io.Serial;

/** A refusal on its way through the protocol; turned into what the service sees where the effect came in. */
final class RefusedException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Refused refused;

    RefusedException(Refused refused) {
        super(refused.reason().name(), null, false, false);
        this.refused = refused;
    }

    Refused refused() {
        return refused;
    }
}
