/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** How it is told that an acquire method has taken its lock. */
public enum HeldWhen {
    /** By what it returned: true, or anything but null, false and an empty {@code Optional}. */
    RESULT,
    /** It has, whenever it returned and did not throw. */
    ALWAYS
}
