/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Proof;
import io.lockfence.instrumentation.Workers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The way back to ZooKeeper for the owner of one node. Its token is the node's czxid, which grows over the whole ensemble; a sequence number at the end of a
 * lock node's name does not, since it begins anew with the node's parent.
 *
 * <p>The server drops the node when it has heard nothing of the session for its time, rounded up to a tick. A follower tells the leader of its sessions twice a
 * tick, and of what its clients sent meanwhile nothing is known when it goes down; a client sends something each third of the time at least. A third of the time is therefore not counted on.
 */
final class NodeCoordinator implements Coordinator {
    /** How long an acquire call waits for its token at most. */
    static final long BOUND_MILLIS = 2_000;

    private final Session session;
    private final String path;
    private final boolean asks;
    private final Session.Connection connection;
    private volatile long czxid;

    /**
     * @param path full
     * @param asks whether ZooKeeper may be asked; if not, what the client knows must do
     */
    NodeCoordinator(Session session, String path, boolean asks) throws Throwable {
        this.session = session;
        this.path = path;
        this.asks = asks;
        this.connection = session.connection();
    }

    /** Of which client the hold is. */
    Session session() {
        return session;
    }

    /** The first question, of a call of the service's that waits: behind no other. */
    CompletionStage<Proof> prove() {
        return ask(question -> Workers.onWorker(question).run());
    }

    @Override
    public CompletionStage<Proof> ask() {
        return ask(connection.questions()::ask);
    }

    private CompletionStage<Proof> ask(Executor asker) {
        if (!asks) {
            try {
                return CompletableFuture.completedFuture(unasked());
            } catch (Throwable t) {
                return CompletableFuture.failedFuture(t);
            }
        }
        CompletableFuture<Proof> answer = new CompletableFuture<>();
        asker.execute(() -> {
            try {
                answer.complete(look());
            } catch (Throwable t) {
                answer.completeExceptionally(t);
            }
        });
        return answer;
    }

    private Proof look() throws Throwable {
        long sentAt = System.nanoTime();
        Session.Node node = connection.look(path);
        // The node of another session of this client is no hold: that session is about to end (CURATOR-604).
        if (!node.ours() || czxid != 0 && czxid != node.czxid()) {
            return Proof.notHeld(sentAt);
        }
        czxid = node.czxid();
        return proof(sentAt, node.czxid(), grantedMillis(connection.timeoutMillis()));
    }

    /** Nothing is sent: while the client is connected, its server has been heard of within two thirds of the session's time. */
    private Proof unasked() throws Throwable {
        long now = System.nanoTime();
        if (connection.ended()) {
            return Proof.notHeld(now);
        }
        if (!connection.connected()) {
            throw new IllegalStateException("the client is not connected");
        }
        return proof(now, 0, connection.timeoutMillis() / 3);
    }

    private static Proof proof(long sentAt, long token, long millis) {
        return new Proof(sentAt, true, token, TimeUnit.MILLISECONDS.toNanos(millis), 1);
    }

    /** @param timeoutMillis of the session */
    private static long grantedMillis(long timeoutMillis) {
        return timeoutMillis - timeoutMillis / 3;
    }

    @Override
    public CompletionStage<Proof> raiseAbove(long token) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException(
                        "ZooKeeper's numbers cannot be raised: if the ensemble was rebuilt or restored, raise `generation` in the rule of this lock"));
    }
}
