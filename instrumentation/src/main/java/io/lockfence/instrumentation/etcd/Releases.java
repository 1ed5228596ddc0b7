/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.HeldLock;

/** How a service gives back what it holds: the lease ends before the request is sent, since that can fail half-way. */
final class Releases {
    private Releases() {}

    /** @param key as the service gives it, without the client's namespace */
    static void unlocking(Object client, Object key) {
        if (none() || key == null) {
            return;
        }
        try {
            release(Connection.of(client).full(key));
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    static void resigning(Object client, Object leaderKey) {
        if (none() || leaderKey == null) {
            return;
        }
        try {
            release(Connection.of(client).keyOfLeader(leaderKey));
        } catch (IllegalStateException e) {
            // A client that is older than Lockfence, before 0.7: nothing that it leads is fenced.
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** With the lease go all keys that belong to it. */
    static void revoking(long leaseId) {
        if (!LeaseContext.idle()) {
            for (HeldLock held : Holds.of(leaseId)) {
                Holds.releasing(held.owner(), null);
            }
        }
        Grants.revoked(leaseId);
    }

    private static void release(byte[] key) {
        String owner = Connection.exact(key);
        String text = Connection.text(key);
        int end = text.lastIndexOf('/');
        Holds.releasing(owner, end < 0 ? null : text.substring(0, end));
    }

    /** Nothing is held, nor was before Lockfence came. */
    private static boolean none() {
        return LeaseContext.idle() && Seams.blindUntil() == 0;
    }
}
