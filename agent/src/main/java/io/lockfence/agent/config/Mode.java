/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/** How far Lockfence goes, from doing nothing to refusing. */
public enum Mode {
    /** Nothing is woven, or this lock is left alone. */
    OFF,
    /** Nothing leaves the JVM; what can be seen locally is reported. */
    OBSERVE,
    /** Tokens, claims and guards run; refusals are only reported. */
    SHADOW,
    /** Refusals are thrown. */
    ENFORCE
}
