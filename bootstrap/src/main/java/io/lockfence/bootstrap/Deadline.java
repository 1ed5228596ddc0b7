/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

/**
 * The monotonic instant after which a holder must assume that it holds nothing (DESIGN P1).
 *
 * <p>All instants are {@link System#nanoTime()}. A grant counts from <em>before the request that proved it was sent</em>,
 * less a margin of 1 % and at least 20 ms for clocks that run at different speeds. Renewals move the deadline only forward,
 * and only if they were sent after the last shortening was known; shortenings move it only back. Thread safe.
 */
public final class Deadline {
    private static final long LEAST_MARGIN_NANOS = 20_000_000L;

    /** Some 73 years: what is granted beyond counts as this, so that instants stay comparable by their difference. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    private volatile long at;
    private volatile long shortenedAt;
    /** When the newest was sent of what has set the deadline. */
    private long setBy;

    /**
     * @param sentAt when the request that proved the hold was sent
     * @param grantedNanos the time that the coordinator granted or has left
     */
    public Deadline(long sentAt, long grantedNanos) {
        this.shortenedAt = sentAt;
        this.setBy = sentAt;
        this.at = end(sentAt, grantedNanos);
    }

    /**
     * The deadline that a grant gives; it lies before {@code sentAt} for a grant that is smaller than the margin, or negative.
     */
    public static long end(long sentAt, long grantedNanos) {
        long granted = Math.max(0, Math.min(grantedNanos, LONGEST_NANOS));
        return sentAt + granted - Math.max(granted / 100, LEAST_MARGIN_NANOS);
    }

    /** Moves the deadline forward, unless the renewal was sent before the last shortening was known. */
    public synchronized void extend(long sentAt, long grantedNanos) {
        long end = end(sentAt, grantedNanos);
        if (sentAt - shortenedAt >= 0 && end - at > 0) {
            at = end;
            setBy = sentAt;
        }
    }

    /** The coordinator said how much time is left, whether more than before or less. Less counts only if it was asked after what has set the deadline. */
    public synchronized void set(long sentAt, long leftNanos) {
        if (end(sentAt, leftNanos) - at >= 0) {
            extend(sentAt, leftNanos);
        } else if (sentAt - setBy > 0) {
            shorten(sentAt, leftNanos);
            setBy = sentAt;
        }
    }

    /** Moves the deadline back; what was sent before now no longer extends it. */
    public synchronized void shorten(long sentAt, long grantedNanos) {
        long end = end(sentAt, grantedNanos);
        if (end - at < 0) {
            at = end;
        }
        shortenedAt = System.nanoTime();
    }

    /** The instant, as {@link System#nanoTime()}. */
    public long at() {
        return at;
    }

    /** Nanoseconds left; zero or less when it has passed. */
    public long left() {
        return at - System.nanoTime();
    }

    /** Whether the deadline has passed. Reads the clock. */
    public boolean passed() {
        return System.nanoTime() - at >= 0;
    }
}
