/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the service's own requests tell of Consul's sessions: how long each lives without a renewal, and since when. Consul ends a session after twice that time at the latest,
 * and never before it, so that its end is counted from when the last successful renewal was sent. Sessions that have ended are forgotten, and no more than the 10,000 are kept
 * that were used last: of one that was forgotten nothing is known until its next renewal. Thread safe.
 */
final class Sessions {
    private static final int MOST = 10_000;
    private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int NOT_FOUND = 404;

    /** What acquiring with a session that is over fails with, with a status of 500. */
    private static final String NO_SESSION = "invalid session";

    private static final Map<String, Known> KNOWN = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
            return size() > MOST;
        }
    };

    private static long tidiedAt = System.nanoTime();

    private static final ClassValue<MethodHandle[]> STATUS = new ClassValue<>() {
        @Override
        protected MethodHandle[] computeValue(Class<?> failure) {
            MethodHandle status = PublicMethods.methodOrNull(failure, "getStatusCode");
            return new MethodHandle[] {status != null ? status : PublicMethods.methodOrNull(failure, "getCode")};
        }
    };

    private static final class Known {
        final long ttlNanos;
        long end;
        int renewals;

        Known(long ttlNanos, long end) {
            this.ttlNanos = ttlNanos;
            this.end = end;
        }
    }

    /**
     * What is known of a session.
     *
     * @param bounded whether it ends by itself, and when is known
     * @param ttlNanos how long it lives without a renewal, if it is bounded
     * @param end {@link System#nanoTime()} before which Consul does not let it run out, if it is bounded
     */
    record Term(boolean bounded, long ttlNanos, long end) {
        private static final Term UNKNOWN = new Term(false, 0, 0);
    }

    private Sessions() {}

    /** @param ttl as it was asked for */
    static void created(String session, long sentAt, String ttl) {
        if (session != null) {
            note(session, sentAt, ttl, false);
        }
    }

    /** The holds of the session are asked for at once: they last longer now. */
    static void renewed(String session, long sentAt, String ttl) {
        note(session, sentAt, ttl, true);
        Holds.renewed(session);
    }

    private static void note(String session, long sentAt, String ttl, boolean renewal) {
        long nanos = SessionTime.nanos(ttl);
        synchronized (KNOWN) {
            tidy();
            if (nanos == SessionTime.UNKNOWN) {
                KNOWN.remove(session);
                return;
            }
            Known known = KNOWN.get(session);
            if (known == null || known.ttlNanos != nanos) {
                known = new Known(nanos, sentAt + nanos);
                KNOWN.put(session, known);
            } else if (sentAt + nanos - known.end > 0) {
                known.end = sentAt + nanos;
            }
            if (renewal) {
                known.renewals++;
            }
        }
    }

    private static void tidy() {
        long now = System.nanoTime();
        if (now - tidiedAt > FORGET_NANOS) {
            tidiedAt = now;
            KNOWN.values()
                    .removeIf(known ->
                            known.ttlNanos != SessionTime.UNBOUNDED && now - known.end - known.ttlNanos > FORGET_NANOS);
        }
    }

    /** A request about a session has failed: with a 404 the service was told that it is over. Other failures say nothing. */
    static void failed(String session, Throwable failure) {
        if (session != null && status(failure) == NOT_FOUND) {
            over(session);
        }
    }

    /** An acquisition has failed. */
    static void refused(String session, Throwable failure) {
        if (String.valueOf(failure).contains(NO_SESSION)) {
            over(session);
        }
    }

    /** Consul has said that a session is over, and the service knows. */
    static void over(String session) {
        forget(session);
        Holds.over(session);
    }

    /** It is over, or will be in a moment. */
    static void forget(String session) {
        synchronized (KNOWN) {
            KNOWN.remove(session);
        }
    }

    private static int status(Throwable failure) {
        MethodHandle status = STATUS.get(failure.getClass())[0];
        if (status == null) {
            return 0;
        }
        try {
            return (int) status.invoke(failure);
        } catch (Throwable t) {
            // kiwi's exceptions have no status where there was no answer.
            return 0;
        }
    }

    static Term term(String session) {
        synchronized (KNOWN) {
            Known known = KNOWN.get(session);
            return known == null || known.ttlNanos == SessionTime.UNBOUNDED
                    ? Term.UNKNOWN
                    : new Term(true, known.ttlNanos, known.end);
        }
    }

    /** How often it was renewed, as far as was seen. */
    static int renewals(String session) {
        synchronized (KNOWN) {
            Known known = KNOWN.get(session);
            return known == null ? 0 : known.renewals;
        }
    }

    /** Whether the service has it run out by itself: it has a time to live, and nothing has renewed it. */
    static boolean runsOut(String session) {
        synchronized (KNOWN) {
            Known known = KNOWN.get(session);
            return known != null && known.ttlNanos != SessionTime.UNBOUNDED && known.renewals == 0;
        }
    }

    /** How many are known. */
    static int size() {
        synchronized (KNOWN) {
            return KNOWN.size();
        }
    }
}
