/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.agent.config.RulesSource;
import io.lockfence.agent.fence.Protocol;
import io.lockfence.agent.report.Log;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The whole of the agent's protocol behind the locks: what is written under them to the database that they are taken in. */
@Timeout(60)
class FencedWritesTest {
    private static final String RULES = """
            mode: enforce
            locks:
              - name: orders
                library: postgresql-advisory
                key: "{id}"
                resource: "orders/{id}"
            targets:
              - name: stock-db
                jdbc: "jdbc:postgresql://**"
            """;

    private static Server server;

    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final Report report = new Report(new Log(log, StandardCharsets.UTF_8));
    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private final List<Connection> opened = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        AdvisoryKind.weave();
        server = new Server();
        server.execute("CREATE TABLE stock (id int PRIMARY KEY, value bigint NOT NULL)");
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void begin() throws Exception {
        server.execute("TRUNCATE stock; INSERT INTO stock VALUES (1, 0); TRUNCATE lockfence.fence");
        Path file = Files.createTempFile("lockfence", ".yaml");
        Files.writeString(file, RULES);
        Protocol protocol = new Protocol(new RulesSource(file.toFile(), "test").load(), report);
        Files.delete(file);
        Seams.connect(protocol.leases(), protocol.transactions(), report::fault);
    }

    @AfterEach
    void end() throws Exception {
        other.shutdownNow();
        for (Connection each : opened) {
            each.close();
        }
        assertThat(log.toString(StandardCharsets.UTF_8)).doesNotContain("fault");
        assertThat(LeaseContext.current()).isEmpty();
    }

    private Connection open() throws SQLException {
        Connection fresh = DriverManager.getConnection(server.url());
        opened.add(fresh);
        return fresh;
    }

    @Test
    void oneConnectionForLockAndWork() throws Exception {
        Connection one = open();
        Connection two = open();
        for (int i = 0; i < 5; i++) {
            for (Connection each : List.of(one, two)) {
                each.setAutoCommit(false);
                run(each, "SELECT pg_advisory_xact_lock(1)");
                add(each, 1);
                each.commit();
            }
        }
        assertThat(value()).isEqualTo(10);
        assertThat(number("SELECT count(*) FROM lockfence.fence WHERE resource = 'orders/1'"))
                .isEqualTo(1);
        assertThat(LeaseContext.current()).isEmpty();
    }

    @Test
    void whoeverIsKilledIsRefusedOnceTheNextHasCome() throws Exception {
        Connection lock = open();
        Connection work = open();
        run(lock, "SELECT pg_advisory_lock(1)");
        work.setAutoCommit(false);
        long read = read(work);
        server.kill(1);

        elsewhere(() -> {
            Connection next = open();
            run(next, "SELECT pg_advisory_lock(1)");
            add(next, 1);
            run(next, "SELECT pg_advisory_unlock(1)");
            return null;
        });

        refused("LF001", () -> {
            run(work, "UPDATE stock SET value = " + (read + 1) + " WHERE id = 1");
            work.commit();
        });
        work.rollback();
        assertThat(value()).isEqualTo(1);
        assertThatThrownBy(() -> run(lock, "SELECT pg_advisory_unlock(1)")).isInstanceOf(SQLException.class);
        run(open(), "SELECT pg_advisory_lock(1)");
        add(open(), 1);
        assertThat(value()).isEqualTo(2);
    }

    /** The common mistake: the next holder waits for the commit instead of reading old data. */
    @Test
    void anUnlockBeforeTheCommitIsGuardedBeforeItIsSent() throws Exception {
        Connection lock = open();
        Connection work = open();
        run(lock, "SELECT pg_advisory_lock(1)");
        work.setAutoCommit(false);
        add(work, 1);
        run(lock, "SELECT pg_advisory_unlock(1)");

        Future<?> next = other.submit(() -> {
            Connection theirs = open();
            run(theirs, "SELECT pg_advisory_lock(1)");
            add(theirs, 1);
            theirs.close();
            return null;
        });
        waitsForTheFence();
        work.commit();

        next.get(30, TimeUnit.SECONDS);
        assertThat(value()).isEqualTo(2);
    }

    /** A lock of the transaction on one connection, work in a transaction of another. */
    @Test
    void aLockOfTheTransactionThatEndsBeforeTheWorkIsGuardedBeforeItsCommit() throws Exception {
        Connection lock = open();
        Connection work = open();
        lock.setAutoCommit(false);
        work.setAutoCommit(false);
        run(lock, "SELECT pg_advisory_xact_lock(1)");
        add(work, 1);
        lock.commit();

        Future<?> next = other.submit(() -> {
            Connection theirs = open();
            run(theirs, "SELECT pg_advisory_lock(1)");
            add(theirs, 1);
            theirs.close();
            return null;
        });
        waitsForTheFence();
        work.commit();

        next.get(30, TimeUnit.SECONDS);
        assertThat(value()).isEqualTo(2);
    }

    @Test
    void aSnapshotFromBeforeTheLockIsRefused() throws Exception {
        Connection one = open();
        one.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        one.setAutoCommit(false);
        run(one, "SELECT pg_advisory_xact_lock(1)");

        refused("LF008", () -> {
            add(one, 1);
            one.commit();
        });
        one.rollback();
        assertThat(value()).isZero();
    }

    @Test
    void aFenceThatIsAheadIsReachedByRaisingTheSequence() throws Exception {
        Connection lock = open();
        run(lock, "SELECT pg_advisory_lock(1)");
        add(open(), 1);
        run(lock, "SELECT pg_advisory_unlock(1)");
        server.execute("UPDATE lockfence.fence SET token = token + 1000000000000000, lease_id = repeat('0', 32)");

        run(lock, "SELECT pg_advisory_lock(1)");
        add(open(), 1);

        assertThat(value()).isEqualTo(2);
        run(lock, "SELECT pg_advisory_unlock(1)");
    }

    @Test
    void whereThereIsNoTokenNothingIsWritten() throws Exception {
        Connection readOnly = open();
        readOnly.setAutoCommit(false);
        readOnly.setReadOnly(true);
        run(readOnly, "SELECT pg_advisory_lock(1)");

        assertThatThrownBy(() -> add(open(), 1))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("read-only")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("LF004");
        assertThat(value()).isZero();
        run(readOnly, "SELECT pg_advisory_unlock(1)");
        readOnly.commit();
        add(open(), 1);
    }

    private static void waitsForTheFence() throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == 0) {
            assertThat(System.nanoTime() - until).as("nanoseconds late").isNegative();
            Thread.sleep(10);
        }
        assertThat(value()).isZero();
    }

    private static void refused(String state, ThrowingCallable access) {
        assertThatThrownBy(access)
                .isInstanceOf(SQLException.class)
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo(state);
    }

    private static void run(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long read(Connection on) throws SQLException {
        try (Statement statement = on.createStatement();
                ResultSet row = statement.executeQuery("SELECT value FROM stock WHERE id = 1")) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Reads, then writes: what nobody else may come between. */
    private static void add(Connection on, long more) throws SQLException {
        run(on, "UPDATE stock SET value = " + (read(on) + more) + " WHERE id = 1");
    }

    private static long value() throws SQLException {
        return number("SELECT value FROM stock WHERE id = 1");
    }

    private static long number(String sql) throws SQLException {
        try (Connection admin = server.admin();
                Statement statement = admin.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void elsewhere(Callable<?> work) throws Exception {
        other.submit(work).get(30, TimeUnit.SECONDS);
    }
}
