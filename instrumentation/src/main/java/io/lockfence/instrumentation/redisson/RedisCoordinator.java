/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Proof;
import io.lockfence.instrumentation.Workers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The way back to Redis for one owner of one lock: scripts that answer, and issue tokens, only while the owner's field is in the lock's
 * hash.
 *
 * <p>A lock's token is max(previous + 1, the server's clock in µs), kept beside the lock for seven days: longer than any step of the
 * clock, and it goes on growing when Redis has lost it. Tokens are compared and returned as text, since Lua's numbers end at 2^53. An
 * {@code RFencedLock} has a counter of its own, which every acquisition raises: its token is that counter, read under the same condition.
 */
final class RedisCoordinator implements Coordinator {
    /** How long an acquire call waits for its token at most. */
    static final long BOUND_MILLIS = 2_000;

    private static final long COUNTER_TTL_MILLIS = TimeUnit.DAYS.toMillis(7);

    /** Time left of a lock that somebody took the expiry from. */
    private static final long NO_EXPIRY_NANOS = TimeUnit.DAYS.toNanos(365);

    private static final String HELD = """
            local holds = redis.call('hget', KEYS[1], ARGV[1])
            if not holds then return {'0'} end
            local left = string.format('%.0f', redis.call('pttl', KEYS[1]))
            """;

    private static final String ASK = HELD + "return {holds, left, '0'}";

    /** ARGV: field, "fresh" (no token for a re-entry) or "always", number that the token must be above, time to live of the counter. */
    private static final String MINT = """
            if redis.replicate_commands then redis.replicate_commands() end
            """ + HELD + """
            if ARGV[2] == 'fresh' and holds ~= '1' then return {holds, left, '0'} end
            local function above(a, b) return #a > #b or (#a == #b and a > b) end
            local base = redis.call('get', KEYS[2]) or '0'
            if not string.find(base, '^%d+$') then return redis.error_reply('LOCKFENCE not a token: ' .. base) end
            if above(ARGV[3], base) then base = ARGV[3] end
            local time = redis.call('time')
            local now = time[1] .. string.format('%06d', time[2])
            if above(now, base) then
              redis.call('set', KEYS[2], now, 'PX', ARGV[4])
              return {holds, left, now}
            end
            redis.call('set', KEYS[2], base, 'PX', ARGV[4])
            redis.call('incr', KEYS[2])
            return {holds, left, redis.call('get', KEYS[2])}
            """;

    /** ARGV: field, "fresh" or "always", number that the token must be above or "0". KEYS[2] is Redisson's own counter. */
    private static final String MINT_FENCED = HELD + """
            if ARGV[2] == 'fresh' and holds ~= '1' then return {holds, left, '0'} end
            local base = redis.call('get', KEYS[2]) or '0'
            local floor = ARGV[3]
            if #floor > #base or (#floor == #base and floor >= base) then
              redis.call('set', KEYS[2], floor)
              redis.call('incr', KEYS[2])
            end
            return {holds, left, redis.call('get', KEYS[2])}
            """;

    private final LockType.Server server;
    private final RuntimeException unreachable;
    private final String rawName;
    private final String field;
    private final boolean fenced;

    RedisCoordinator(LockType type, Object lock, String rawName, String field) {
        LockType.Server known = null;
        RuntimeException problem = null;
        try {
            known = type.server(lock);
        } catch (IllegalStateException e) {
            problem = e;
        }
        this.server = known;
        this.unreachable = problem;
        this.rawName = rawName;
        this.field = field;
        this.fenced = type.issuesTokens();
    }

    /**
     * A token for the hold, within {@link #BOUND_MILLIS}.
     *
     * @param known whether the owner has a token from an earlier acquisition, so that a re-entry needs none
     */
    CompletionStage<Proof> mint(boolean known) {
        return bounded(token(known ? "fresh" : "always", 0));
    }

    @Override
    public CompletionStage<Proof> ask() {
        return eval(ASK, List.of(rawName), field);
    }

    @Override
    public CompletionStage<Proof> raiseAbove(long token) {
        return token("always", token);
    }

    private CompletionStage<Proof> token(String when, long above) {
        return fenced
                ? eval(MINT_FENCED, List.of(rawName, counter("redisson_lock_token")), field, when, Long.toString(above))
                : eval(
                        MINT,
                        List.of(rawName, counter("lockfence:token")),
                        field,
                        when,
                        Long.toString(above),
                        Long.toString(COUNTER_TTL_MILLIS));
    }

    /** Redisson's own rule (RedissonObject.prefixName) for a key in the same cluster slot as the lock. */
    private String counter(String prefix) {
        return rawName.contains("{") ? prefix + ":" + rawName : prefix + ":{" + rawName + "}";
    }

    private CompletionStage<Proof> eval(String script, List<Object> keys, Object... arguments) {
        if (server == null) {
            return CompletableFuture.failedFuture(unreachable);
        }
        long sentAt = System.nanoTime();
        try {
            return server.eval(script, keys, arguments).thenApply(answer -> proof(sentAt, answer));
        } catch (Throwable t) {
            return CompletableFuture.failedFuture(t);
        }
    }

    private static Proof proof(long sentAt, List<Object> answer) {
        int holds = Integer.parseInt(answer.get(0).toString());
        if (holds <= 0) {
            return Proof.notHeld(sentAt);
        }
        long left = Long.parseLong(answer.get(1).toString());
        long nanos = left < 0 ? NO_EXPIRY_NANOS : TimeUnit.MILLISECONDS.toNanos(left);
        return new Proof(sentAt, true, Long.parseLong(answer.get(2).toString()), nanos, holds);
    }

    private static CompletionStage<Proof> bounded(CompletionStage<Proof> answer) {
        CompletableFuture<Proof> bounded = new CompletableFuture<>();
        // What depends on this stage may run continuations of the service's: not on the timer.
        Future<?> timeout = Background.TIMER.schedule(
                Workers.onWorker(() -> bounded.completeExceptionally(new TimeoutException())),
                BOUND_MILLIS,
                TimeUnit.MILLISECONDS);
        answer.whenComplete((proof, failure) -> {
            timeout.cancel(false);
            if (failure == null) {
                bounded.complete(proof);
            } else {
                bounded.completeExceptionally(failure);
            }
        });
        return bounded;
    }

    /** Why no token could be had, and what to do, for the service's operator. */
    String failure(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String key = fenced ? counter("redisson_lock_token") : counter("lockfence:token");
        if (cause instanceof TimeoutException) {
            return "Redis did not answer within " + BOUND_MILLIS + " ms when asked for a fencing token of the lock "
                    + rawName + "; it is overloaded or cut off";
        }
        if (cause == unreachable) {
            return cause.getMessage() + ": no fencing token can be had from it; use a version that Lockfence supports";
        }
        String said = String.valueOf(cause.getMessage());
        if (said.contains("NOPERM")) {
            return "the Redis user of this service may not issue a fencing token: allow it EVAL, EVALSHA, SCRIPT, HGET, PTTL, TIME,"
                    + " GET, SET and INCR on the keys lockfence:token:* and redisson_lock_token:* beside the lock's own ("
                    + said
                    + ")";
        }
        if (said.contains("CROSSSLOT")) {
            return "the lock's name puts its token counter " + key
                    + " in another slot of the Redis cluster: give the lock a hash tag"
                    + " in braces, as in {order}:42 (" + said + ")";
        }
        if (said.contains("overflow") || said.contains("not an integer or out of range")) {
            return "the token counter " + key
                    + " has come to the end of 64 bits: raise `generation` in the rule of this lock, then"
                    + " delete the key (" + said + ")";
        }
        if (said.contains("LOCKFENCE not a token")) {
            return "the key " + key + " holds something that is no token: find out who else writes it, then delete it ("
                    + said + ")";
        }
        return "Redis did not issue a fencing token for the lock " + rawName + ": " + cause;
    }
}
