/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.io.Serial;
import java.sql.SQLException;

/** An enforced guard failed; nothing was committed. The transaction may still be open: the caller rolls it back. */
public final class GuardFailedException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient GuardFinding finding;

    /**
     * @param finding what the guard found
     * @param cause as the driver threw it
     */
    public GuardFailedException(GuardFinding finding, SQLException cause) {
        super(cause.getMessage(), cause);
        this.finding = finding;
    }

    /** What the guard found. */
    public GuardFinding finding() {
        return finding;
    }
}
