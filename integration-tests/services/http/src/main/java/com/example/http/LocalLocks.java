/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Locks with a lease time and a token inside one JVM, for what needs a lock and no server. All instances share them; an instance is one owner's view.
 * Thread safe; ownership is by owner, not by thread.
 */
public class LocalLocks {
    private static final AtomicLong TOKENS = new AtomicLong();
    private static final AtomicLong OWNERS = new AtomicLong();
    private static final Map<String, Held> HELD = new ConcurrentHashMap<>();

    /**
     * A lock that was taken.
     *
     * @param name of the lock
     * @param token larger than that of every earlier grant of this JVM
     * @param owner whose it is
     */
    public record Grant(String name, long token, String owner) {}

    private record Held(Grant grant, long until) {
        boolean over() {
            return System.nanoTime() - until >= 0;
        }
    }

    private final String owner = "owner-" + OWNERS.incrementAndGet();

    /** Takes a lock for so long; null while another owner has it. An owner that takes what it has gets a new grant of it. */
    public Grant acquire(String name, long leaseMillis) {
        Grant mine = new Grant(name, TOKENS.incrementAndGet(), owner);
        Held held = HELD.compute(
                name,
                (key, now) -> now == null || now.over() || now.grant().owner().equals(owner)
                        ? new Held(mine, end(leaseMillis))
                        : now);
        return held.grant().equals(mine) ? mine : null;
    }

    /** Makes the time that is left so long; false if this owner has the lock no more. */
    public boolean renew(String name, long leaseMillis) {
        Held held =
                HELD.computeIfPresent(name, (key, now) -> mine(now) ? new Held(now.grant(), end(leaseMillis)) : now);
        return held != null && mine(held);
    }

    /** Gives it back; false if this owner has it no more. */
    public boolean release(String name) {
        Held held = HELD.get(name);
        return held != null && mine(held) && HELD.remove(name, held);
    }

    /** Takes the lock away from whoever has it, without telling; the next owner can take it at once. */
    public static void lose(String name) {
        HELD.remove(name);
    }

    private boolean mine(Held held) {
        return held.grant().owner().equals(owner) && !held.over();
    }

    private static long end(long leaseMillis) {
        return System.nanoTime() + leaseMillis * 1_000_000;
    }
}
