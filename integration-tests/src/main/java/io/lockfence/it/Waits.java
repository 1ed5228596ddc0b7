/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waiting for a condition. */
public final class Waits {
    private Waits() {}

    /**
     * Looks every 20 ms until the condition holds.
     *
     * @param what the condition in words, for the failure
     * @throws AssertionError if it does not hold in time; the last exception of the condition is its cause
     */
    public static void until(String what, Duration limit, Callable<Boolean> condition) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        Exception last = null;
        do {
            try {
                if (condition.call()) {
                    return;
                }
                last = null;
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                last = e;
            }
            Thread.sleep(20);
        } while (System.nanoTime() - end < 0);
        throw new AssertionError("not within " + limit.toMillis() + " ms: " + what, last);
    }
}
