/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Waits for what another thread does. */
final class Awaited {
    private Awaited() {}

    static void until(BooleanSupplier condition) throws InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("waited 30 s");
            }
            Thread.sleep(1);
        }
    }
}
