/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** What ends the stay on its thread of a lease that was never unlocked (DESIGN §2.1, units of work). */
public enum Ends {
    /** Its deadline, if it had an explicit lease time, was never renewed, and the thread runs one unit of work after another. */
    DEADLINE,
    /** Nothing but its own unlock: dead or alive it stays, and refuses once it is dead. */
    UNLOCK
}
