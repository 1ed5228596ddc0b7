/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** Whom a request's fencing header is believed. */
public enum Trust {
    /** Nobody: the header is ignored. */
    NONE,
    /** Who connects from the networks that the rule names. */
    NETWORK,
    /** Who has signed each item with a key that the rule names. */
    SIGNED
}
