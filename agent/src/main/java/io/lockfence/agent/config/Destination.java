/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** Where the writes go that a target is about. */
public sealed interface Destination permits JdbcDestination, MethodDestination, HttpDestination {
    /** What happens to the effects of work that outlives its lease. */
    AfterRelease afterRelease();
}
