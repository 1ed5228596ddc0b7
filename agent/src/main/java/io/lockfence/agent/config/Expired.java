/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** What happens to the commit of statements that were sent in time, once their lease has expired (DESIGN P5). */
public enum Expired {
    /** It is refused locally. */
    REFUSE,
    /** It goes through if its guard still holds. */
    GUARD
}
