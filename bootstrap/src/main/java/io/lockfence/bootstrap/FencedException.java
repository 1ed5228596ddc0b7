/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.io.Serial;

/**
 * An effect was refused; it definitively did not apply.
 *
 * <p>Services meet it as the cause of a {@code SQLException} or {@code IOException}. It travels to other JVMs as a plain
 * {@link RuntimeException} with the same message and stack: a class of ours could not be read where there is no agent.
 */
public final class FencedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;
    private final transient String resource;

    /**
     * @param refusal why; never null
     * @param resource the resource that the lease is scoped to, or null where there is no lease
     * @param message resource, tokens, age of the lease, who claimed, and what to do
     * @param cause what led to the refusal, or null
     */
    public FencedException(Refusal refusal, String resource, String message, Throwable cause) {
        super(message, cause);
        this.refusal = refusal;
        this.resource = resource;
    }

    /** Why the effect was refused. */
    public Refusal refusal() {
        return refusal;
    }

    /** The resource that was fenced, or null where there is no lease. */
    public String resource() {
        return resource;
    }

    @Serial
    private Object writeReplace() {
        RuntimeException plain = new RuntimeException(toString(), getCause());
        plain.setStackTrace(getStackTrace());
        return plain;
    }
}
