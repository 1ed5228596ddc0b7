/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** A text that cannot be read: what is wrong, and what may have been meant. */
final class WrongText extends IllegalArgumentException {
    private static final long serialVersionUID = 1;
    private final String nearest;

    WrongText(String what, String nearest) {
        super(what);
        this.nearest = nearest;
    }

    /** The whole text as it should be; empty if that cannot be told. */
    String nearest() {
        return nearest;
    }
}
