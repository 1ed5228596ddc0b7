/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

/** What a call does there. */
public enum Access {
    READ,
    WRITE,
    /** Told by what was passed to it: a statement's text, a request's method. */
    DEPENDS
}
