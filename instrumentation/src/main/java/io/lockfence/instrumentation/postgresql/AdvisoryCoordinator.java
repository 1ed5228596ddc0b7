/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Proof;
import io.lockfence.instrumentation.postgresql.AdvisoryQuestion.Answer;
import io.lockfence.instrumentation.postgresql.AdvisoryQuestion.Held;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;

/**
 * The way back to the session that holds one lock: on its own connection, so that only the thread that took the lock may ask, which is not using the connection at that moment.
 */
final class AdvisoryCoordinator implements Coordinator {
    private final AdvisoryHolds holds;
    private final String name;
    private final int backend;
    private final WeakReference<Thread> taker = new WeakReference<>(Thread.currentThread());

    AdvisoryCoordinator(AdvisoryHolds holds, String name) {
        this.holds = holds;
        this.name = name;
        this.backend = holds.backend();
    }

    @Override
    public CompletionStage<Proof> ask() {
        return asked(null);
    }

    @Override
    public CompletionStage<Proof> raiseAbove(long token) {
        return asked(token);
    }

    private CompletionStage<Proof> asked(Long above) {
        try {
            return CompletableFuture.completedFuture(answer(above));
        } catch (Throwable t) {
            return CompletableFuture.failedFuture(t);
        }
    }

    private Proof answer(Long above) throws Throwable {
        PgSession session = holds.session();
        Object executor = session.executor();
        if (taker.get() != Thread.currentThread()) {
            throw new IllegalStateException(
                    "an advisory lock can be asked for on its own connection only, and that belongs to the thread that took it");
        }
        if (executor == null || session.closed() || !(session.connection() instanceof Connection connection)) {
            return Proof.notHeld(System.nanoTime());
        }
        Lock held = session.driver.lock(executor);
        if (held != null) {
            held.lock();
        }
        boolean before = session.ours;
        session.ours = true;
        try {
            if (session.driver.failed(executor) || session.busy()) {
                throw new IllegalStateException(
                        "its connection cannot be asked now: its transaction has failed, or a COPY is under way");
            }
            boolean idle = session.driver.idle(executor);
            Answer answer = AdvisoryQuestion.numbered(connection, others(), above);
            if (idle && !session.driver.idle(executor)) {
                AdvisoryQuestion.end(connection);
            }
            return proof(answer, above);
        } finally {
            session.ours = before;
            if (held != null) {
                held.unlock();
            }
        }
    }

    private List<String> others() {
        List<String> others = new ArrayList<>();
        for (AdvisoryHold hold : holds.all()) {
            if (!hold.name().equals(name)) {
                others.add(hold.name());
            }
        }
        return others;
    }

    private Proof proof(Answer answer, Long above) {
        Held held = answer.backend() == backend ? answer.of(name) : null;
        if (held == null) {
            return Proof.notHeld(answer.sentAt());
        }
        if (above != null && held.token() == 0) {
            throw new IllegalStateException(AdvisoryAnswers.failure(answer.problem()));
        }
        return new Proof(answer.sentAt(), true, held.token(), AdvisoryAnswers.AS_LONG_AS_THE_SESSION, 1);
    }
}
