/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

/**
 * What the coordinator said about one hold, in one atomic step with the hold itself (DESIGN P2).
 *
 * @param sentAt {@link System#nanoTime()} before the request was sent
 * @param held whether the owner that asked holds the lock; if not, the rest means nothing
 * @param token a number that is higher than every earlier owner's; 0 where the question was for the time left only
 * @param timeLeftNanos until the coordinator drops the hold
 * @param holdCount how often the owner has taken the lock without giving it back; 1 for a fresh hold
 */
public record Proof(long sentAt, boolean held, long token, long timeLeftNanos, int holdCount) {
    /** The answer for an owner that does not hold the lock. */
    public static Proof notHeld(long sentAt) {
        return new Proof(sentAt, false, 0, 0, 0);
    }
}
