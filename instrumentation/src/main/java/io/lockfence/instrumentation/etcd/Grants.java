/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * What the service's own requests tell of etcd's leases: which are kept alive, and until when they were granted. Of the 10,000 that were used last. Thread safe.
 */
final class Grants {
    private static final int MOST = 10_000;
    private static final String NO_LEASE = "requested lease not found";

    private static final Map<Long, Grant> KNOWN = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Grant> eldest) {
            return size() > MOST;
        }
    };

    private static final ClassValue<Answer> ANSWERS = new ClassValue<>() {
        @Override
        protected Answer computeValue(Class<?> type) {
            return new Answer(PublicMethods.method(type, "getID"), PublicMethods.method(type, "getTTL"));
        }
    };

    /** Answers that have the id of a lease and its time, jetcd's and protobuf's. */
    private record Answer(MethodHandle id, MethodHandle seconds) {}

    private static final class Grant {
        /** Whether the service keeps it alive, or has done so. */
        boolean keptAlive;
        /** Whether etcd has said that it is gone. */
        boolean ended;
        /** By its grant, from when that was sent. */
        boolean granted;

        long grantedEnd;
        /** By its last renewal; of those that jetcd sends by itself, from the answer before. */
        boolean renewed;

        long renewedEnd;
        boolean answered;
        long answeredAt;
    }

    private Grants() {}

    private static Grant of(long leaseId) {
        return KNOWN.computeIfAbsent(leaseId, id -> new Grant());
    }

    /** @param future of a {@code LeaseGrantResponse} */
    static void granting(long sentAt, Object future) {
        if (future instanceof CompletionStage<?> stage) {
            stage.thenAccept(response -> granted(sentAt, response));
        }
    }

    private static void granted(long sentAt, Object response) {
        try {
            Answer answer = ANSWERS.get(response.getClass());
            long end = sentAt + TimeUnit.SECONDS.toNanos((long) answer.seconds.invoke(response));
            synchronized (KNOWN) {
                Grant grant = of((long) answer.id.invoke(response));
                grant.granted = true;
                grant.grantedEnd = end;
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static void renewed(long leaseId, long sentAt, long seconds) {
        synchronized (KNOWN) {
            Grant grant = of(leaseId);
            grant.renewed = true;
            grant.renewedEnd = sentAt + TimeUnit.SECONDS.toNanos(seconds);
        }
    }

    static void keepingAlive(long leaseId) {
        synchronized (KNOWN) {
            of(leaseId).keptAlive = true;
        }
    }

    /** @param future of a {@code LeaseKeepAliveResponse} of jetcd's */
    static void keepingAliveOnce(long leaseId, long sentAt, Object future) {
        if (future instanceof CompletionStage<?> stage) {
            stage.whenComplete((response, failure) -> {
                try {
                    if (failure != null) {
                        if (String.valueOf(failure).contains(NO_LEASE)) {
                            gone(leaseId);
                        }
                        return;
                    }
                    long seconds =
                            (long) ANSWERS.get(response.getClass()).seconds.invoke(response);
                    if (seconds > 0) {
                        renewed(leaseId, sentAt, seconds);
                    } else {
                        gone(leaseId);
                    }
                } catch (Throwable t) {
                    Seams.fault(t);
                }
            });
        }
    }

    /** @param response a {@code LeaseKeepAliveResponse} of protobuf's */
    static void keptAlive(Object response) {
        try {
            Answer answer = ANSWERS.get(response.getClass());
            long leaseId = (long) answer.id.invoke(response);
            long seconds = (long) answer.seconds.invoke(response);
            if (seconds <= 0) {
                gone(leaseId);
                return;
            }
            long now = System.nanoTime();
            synchronized (KNOWN) {
                Grant grant = of(leaseId);
                grant.keptAlive = true;
                // It was sent after the answer before had come, or in a row with what that answered.
                renewed(leaseId, grant.answered ? grant.answeredAt : now, seconds);
                grant.answered = true;
                grant.answeredAt = now;
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static void gone(long leaseId) {
        synchronized (KNOWN) {
            of(leaseId).ended = true;
        }
        Holds.gone(leaseId);
    }

    /** The service gives it back. */
    static void revoked(long leaseId) {
        synchronized (KNOWN) {
            KNOWN.remove(leaseId);
        }
    }

    /** Whether the service keeps it alive, as far as was seen. */
    static boolean isKeptAlive(long leaseId) {
        synchronized (KNOWN) {
            Grant grant = KNOWN.get(leaseId);
            return grant != null && grant.keptAlive;
        }
    }

    /** Whether etcd has said that it is gone. */
    static boolean ended(long leaseId) {
        synchronized (KNOWN) {
            Grant grant = KNOWN.get(leaseId);
            return grant != null && grant.ended;
        }
    }

    /** What is left by the grant, unless the lease is revoked: renewals can only have made it more. 0 or less where it was not seen. */
    static long leftOfGrantNanos(long leaseId, long at) {
        synchronized (KNOWN) {
            Grant grant = KNOWN.get(leaseId);
            return grant == null || !grant.granted ? 0 : grant.grantedEnd - at;
        }
    }

    /** What is left by all that was seen; 0 or less where nothing was. */
    static long leftNanos(long leaseId, long at) {
        synchronized (KNOWN) {
            Grant grant = KNOWN.get(leaseId);
            long renewed = grant == null || !grant.renewed ? 0 : grant.renewedEnd - at;
            return Math.max(renewed, leftOfGrantNanos(leaseId, at));
        }
    }
}
