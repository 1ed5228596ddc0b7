/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** What happens to writes to a target under no lease. */
public enum Unleased {
    ALLOW,
    REPORT,
    REJECT
}
