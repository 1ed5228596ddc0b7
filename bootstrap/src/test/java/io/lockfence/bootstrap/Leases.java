/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.util.concurrent.TimeUnit;

/** Leases for tests. */
final class Leases {
    private Leases() {}

    /** Lives for a minute. */
    static Lease living(String resource) {
        return lasting(resource, TimeUnit.MINUTES.toNanos(1));
    }

    /** Past its deadline from the beginning. */
    static Lease overdue(String resource) {
        return lasting(resource, 0);
    }

    private static Lease lasting(String resource, long nanos) {
        return new Lease(
                resource, resource, "0f".repeat(16), resource + "@test", 0, 7, new Deadline(System.nanoTime(), nanos));
    }
}
