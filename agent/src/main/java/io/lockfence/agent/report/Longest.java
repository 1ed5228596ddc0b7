/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.util.concurrent.atomic.AtomicLong;

/** The longest time seen. Thread safe. */
final class Longest {
    private final AtomicLong nanos = new AtomicLong();

    void see(long seen) {
        long known = nanos.get();
        while (seen > known && !nanos.compareAndSet(known, seen)) {
            known = nanos.get();
        }
    }

    long nanos() {
        return nanos.get();
    }
}
