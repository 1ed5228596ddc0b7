/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** What happens to calls of a fenced method by work that goes on after its lease was released. */
public enum AfterRelease {
    REPORT,
    REJECT,
    ALLOW
}
