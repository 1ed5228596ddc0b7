/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;

/** One outermost hold of a lock, from the call that took it to the last that gives it back. Guarded by {@link Holds}. */
final class Hold {
    final LockMethods lock;
    final String name;
    final String owner;
    /** Of the thread that the hold belongs to; null for none: it was taken on an event loop, or for the process. */
    final LeaseContext context;

    /** When the call was sent that took it. */
    final long sentAt;

    final long token;
    Lease lease;
    int count = 1;
    /** When the renewal was sent that counted last. */
    long prolongedAt;
    /** Attempts of its thread to take it once more that failed, and were followed by no release so far. */
    int failed;
    /** Whether it was given back before its lease had begun. */
    boolean releasedBefore;

    Hold(LockMethods lock, String name, String owner, LeaseContext context, long sentAt, long token) {
        this.lock = lock;
        this.name = name;
        this.owner = owner;
        this.context = context;
        this.sentAt = sentAt;
        this.prolongedAt = sentAt;
        this.token = token;
    }

    /** Whether it can be entered once more; not yet known to have a lease is not. */
    boolean alive() {
        return lease != null && lease.death() == null && !lease.released();
    }

    /** Whether nobody will ask for it again: its lease is off its thread. */
    boolean over() {
        if (lease == null) {
            return false;
        }
        if (lease.released()) {
            return true;
        }
        if (lease.death() == null) {
            return false;
        }
        return !lock.process() && (context == null || !isOn(context));
    }

    /** Whether a thread can enter it once more, or give it back: it has taken it, or runs under it. */
    boolean isOf(LeaseContext thread) {
        return lock.process() || thread != null && (thread == context || lease != null && isOn(thread));
    }

    private boolean isOn(LeaseContext thread) {
        for (Lease there : thread.leases()) {
            if (there == lease) {
                return true;
            }
        }
        return false;
    }
}
