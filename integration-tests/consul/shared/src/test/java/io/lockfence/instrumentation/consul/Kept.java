/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

/** What the integration has in its books, for tests. */
public final class Kept {
    private Kept() {}

    public static int sessions() {
        return Sessions.size();
    }

    public static int holds() {
        return Holds.size();
    }

    /** As if the session were older than Lockfence. */
    public static void forget(String session) {
        Sessions.forget(session);
    }
}
