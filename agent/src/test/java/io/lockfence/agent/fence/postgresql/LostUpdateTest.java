/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.fence.ClaimRequest;
import io.lockfence.agent.fence.GuardFailedException;
import io.lockfence.agent.fence.GuardItem;
import io.lockfence.agent.fence.ReleaseGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Holders that all believe that they hold the lock read a counter, add one and write it back. With the fence, the counter is in the end what was committed,
 * however they overlap; with a guard that looks and does not lock, it is not.
 */
class LostUpdateTest {
    private static final int WORKERS = 4;
    private static final int ROUNDS = 150;
    /** Rounds go on until this much was committed: on a slow machine, most holders overlap and are refused. */
    private static final int COMMITS = 60;

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final PostgresFence fence = new PostgresFence();
    private final AtomicLong tokens = new AtomicLong();
    private final AtomicLong committed = new AtomicLong();

    @ParameterizedTest
    @EnumSource
    void noUpdateIsLostHoweverHoldersOverlap(Servers server) throws Exception {
        long seed = Long.getLong("lockfence.seed", System.nanoTime());
        String resource = "counter/" + UUID.randomUUID();

        long counter = run(server, resource, seed, true);

        assertThat(counter).as("seed %d: updates were lost", seed).isEqualTo(committed.get());
        assertThat(committed.get())
                .as("seed %d: hardly anything was committed within %s", seed, LIMIT)
                .isGreaterThanOrEqualTo(COMMITS);
    }

    @ParameterizedTest
    @EnumSource
    void guardThatDoesNotLockLosesUpdates(Servers server) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        long lost = 0;
        for (long seed = 1; lost == 0 && System.nanoTime() < deadline; seed++) {
            committed.set(0);
            long counter = run(server, "control/" + UUID.randomUUID(), seed, false);
            lost = committed.get() - counter;
        }

        assertThat(lost)
                .as("the control lost nothing, so the other test proves nothing")
                .isPositive();
    }

    /** What the counter is in the end. */
    private long run(Servers server, String resource, long seed, boolean locks) throws Exception {
        try (Connection connection = server.connect()) {
            execute(connection, "INSERT INTO note VALUES ('" + resource + "', 0)");
        }
        long deadline = System.nanoTime() + LIMIT.toNanos();
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                Random random = new Random(seed + i);
                running.add(workers.submit(() -> {
                    try (Connection own = server.connect();
                            Connection service = server.connect()) {
                        service.setAutoCommit(false);
                        for (int round = 0;
                                round < ROUNDS || committed.get() < COMMITS && System.nanoTime() < deadline;
                                round++) {
                            hold(own, service, resource, random, locks);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> worker : running) {
                worker.get();
            }
        } finally {
            workers.shutdownNow();
        }
        try (Connection connection = server.connect()) {
            return read(connection, resource);
        }
    }

    private void hold(Connection own, Connection service, String resource, Random random, boolean locks)
            throws Exception {
        GuardItem item = new GuardItem(
                resource, "lock", 0, tokens.incrementAndGet(), UUID.randomUUID().toString(), true);
        // Sooner or later than the next holder's.
        Thread.sleep(0, random.nextInt(500_000));
        if (!fence.claim(own, request(item), random.nextInt(4) == 0, 1000).held()) {
            return;
        }
        if (random.nextInt(3) == 0) {
            service.setTransactionIsolation(
                    locks ? Connection.TRANSACTION_REPEATABLE_READ : Connection.TRANSACTION_READ_COMMITTED);
        }
        try {
            long value = read(random.nextBoolean() ? own : service, resource);
            Thread.sleep(0, random.nextInt(900_000));
            write(service, resource, value + 1);
            Savepoint savepoint = random.nextInt(4) == 0 ? service.setSavepoint() : null;
            boolean released = random.nextInt(4) == 0 && locks;
            if (released) {
                released = fence.guardAtRelease(service, List.of(item), random.nextInt(20), 60_000)
                                .get(0)
                                .status()
                        == ReleaseGuard.Status.HELD;
            }
            if (savepoint != null) {
                service.rollback(savepoint);
            }
            long added = 1;
            if (released && random.nextBoolean()) {
                // Lock again in the same transaction, if nobody came between.
                GuardItem again = new GuardItem(
                        resource,
                        "lock",
                        0,
                        tokens.incrementAndGet(),
                        UUID.randomUUID().toString(),
                        true);
                if (fence.claimInTransaction(service, request(again), List.of(item.leaseId()))
                        .held()) {
                    item = again;
                    value = read(service, resource);
                    write(service, resource, value + 1);
                    added = 2;
                }
            }
            if (locks && random.nextBoolean()) {
                fence.guardAndCommit(service, List.of(item));
            } else if (locks) {
                fence.guard(service, List.of(item));
                Thread.sleep(0, random.nextInt(900_000));
                service.commit();
            } else if (fence.look(service, resource).orElseThrow().leaseId().equals(item.leaseId())) {
                service.commit();
            } else {
                added = 0;
            }
            committed.addAndGet(added);
        } catch (GuardFailedException e) {
            assertThat(e.finding().item()).isEqualTo(item);
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as("%s", e).isIn("40001", "40P01");
        } finally {
            service.rollback();
            service.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    private static ClaimRequest request(GuardItem item) {
        return new ClaimRequest(item.resource(), item.lock(), item.generation(), item.token(), item.leaseId(), "host");
    }

    private static long read(Connection connection, String resource) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT value FROM note WHERE id = ?")) {
            statement.setString(1, resource);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static void write(Connection connection, String resource, long value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("UPDATE note SET value = ? WHERE id = ?")) {
            statement.setLong(1, value);
            statement.setString(2, resource);
            statement.executeUpdate();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
