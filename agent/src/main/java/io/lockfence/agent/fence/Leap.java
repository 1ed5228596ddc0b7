/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.util.concurrent.TimeUnit;

/**
 * How far a token that comes from another service may be ahead. Numbers are either counters or microseconds of a clock; on a fence that nobody has
 * claimed, or one of another generation, they may be either.
 */
final class Leap {
    /** The year 2001 in microseconds: whoever counts has not come so far. */
    private static final long CLOCK = 1_000_000_000_000_000L;

    /** Leaves twenty forgeries before the numbers end, and room for generations that are dates. */
    private static final int GENERATIONS = 100_000_000;

    private Leap() {}

    /**
     * What is wrong with a lease's token, in words for the operator; null if nothing is.
     *
     * @param row what the fence knows; null if nobody has claimed it
     */
    static String of(FencedLease lease, FenceRow row) {
        int generation = row == null ? 0 : row.generation();
        if (lease.generation() - (long) generation > GENERATIONS) {
            return "generation " + lease.generation() + " is more than " + GENERATIONS + " ahead of " + generation;
        }
        long known = row == null ? 0 : row.token();
        long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        boolean mayBeClock = known == 0 || known >= CLOCK || lease.generation() > generation;
        long base = mayBeClock ? Math.max(known, now) : known;
        if (lease.token() - base > lease.leap()) {
            return "token " + lease.token() + " is more than " + lease.leap() + " ahead of " + base + " ("
                    + (base == known ? "the fence" : "the clock") + "): 'leap' in the rules is the limit";
        }
        return null;
    }
}
