/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.lockfence.agent.config.RulesException;
import io.lockfence.agent.config.RulesSource;
import io.lockfence.agent.fence.ClaimRequest;
import io.lockfence.agent.fence.Claimed;
import io.lockfence.agent.fence.Protocol;
import io.lockfence.agent.fence.postgresql.PostgresFence;
import io.lockfence.agent.report.Counters;
import io.lockfence.agent.report.Gauge;
import io.lockfence.agent.report.Log;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Seams;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * The agent's protocol on a woven driver and a real server, with a coordinator that does as the test says. Locks are named
 * {@code order:x}, their resources {@code orders/x}.
 */
final class Fenced implements AutoCloseable {
    private static final AtomicLong TOKENS = new AtomicLong(1_000);
    private static final PostgresFence FENCE = new PostgresFence();

    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final Report report = new Report(new Log(log, StandardCharsets.UTF_8));
    private final WovenDriver woven;
    private final Protocol protocol;

    private Fenced(String version, String rules) {
        try {
            Database.run("drop schema if exists lockfence cascade", FENCE.ddl());
            Path file = Files.createTempFile("lockfence", ".yaml");
            Files.writeString(file, rules);
            protocol = new Protocol(new RulesSource(file.toFile(), "test").load(), report);
            Files.delete(file);
        } catch (IOException | RulesException | SQLException e) {
            throw new IllegalStateException(e);
        }
        woven = WovenDriver.idle(version, null);
        Seams.connect(protocol.leases(), protocol.transactions(), report::fault);
    }

    static Fenced enforced() {
        return enforced(Drivers.NEWEST);
    }

    static Fenced enforced(String version) {
        return new Fenced(version, rules("enforce", "", ""));
    }

    /** @param ofLock more lines of the lock's rule, and {@code ofTarget} of the target's */
    static Fenced with(String mode, String ofLock, String ofTarget) {
        return new Fenced(Drivers.NEWEST, rules(mode, ofLock, ofTarget));
    }

    private static String rules(String mode, String ofLock, String ofTarget) {
        return """
                mode: %s
                locks:
                  - name: orders
                    library: redisson
                    key: "order:{id}"
                    resource: "orders/{id}"
                    %s
                targets:
                  - name: db
                    jdbc: "jdbc:postgresql://*/postgres"
                    %s
                """.formatted(mode, ofLock, ofTarget);
    }

    Connection connect(String... options) throws SQLException {
        return woven.connect("jdbc:postgresql://127.0.0.1:" + Database.port() + "/postgres", options);
    }

    Connection connect(Wire wire, String... options) throws SQLException {
        return woven.connect(wire.url(), options);
    }

    Drivers.Copy driver() {
        return woven.copy();
    }

    /** Takes a lock on this thread, for a minute. */
    Hold lock(String id) {
        return lock(id, Duration.ofMinutes(1));
    }

    Hold lock(String id, Duration lease) {
        Hold hold = new Hold(id, TOKENS.incrementAndGet(), lease);
        protocol.leases()
                .acquired(new Acquisition(
                        "redisson",
                        "order:" + id,
                        hold.owner,
                        LeaseContext.ofCurrentThread(),
                        true,
                        new Proof(System.nanoTime(), true, hold.token, lease.toNanos(), 1),
                        null,
                        false,
                        hold));
        return hold;
    }

    /** One hold of a lock, and its coordinator. */
    final class Hold implements Coordinator, AutoCloseable {
        final String id;
        final long token;
        private final Duration lease;
        private final long began = System.nanoTime();
        private final String owner = UUID.randomUUID().toString();

        private Hold(String id, long token, Duration lease) {
            this.id = id;
            this.token = token;
            this.lease = lease;
        }

        void unlock() {
            protocol.leases().releasing(owner);
        }

        /** Whether more time has passed than the lease was granted for. */
        boolean expired() {
            return System.nanoTime() - began > lease.toNanos();
        }

        void lost() {
            protocol.leases().lost(owner, "the test says so");
        }

        /** Unlocks, if the test has not done so. */
        @Override
        public void close() {
            unlock();
        }

        @Override
        public CompletionStage<Proof> ask() {
            return CompletableFuture.completedFuture(new Proof(System.nanoTime(), true, token, lease.toNanos(), 1));
        }

        @Override
        public CompletionStage<Proof> raiseAbove(long other) {
            return CompletableFuture.completedFuture(Proof.notHeld(System.nanoTime()));
        }
    }

    /** Another JVM takes the lock and claims its fence: as if ours had expired unnoticed. */
    static Claimed.Status supersede(String id) throws SQLException {
        return supersede(id, 0);
    }

    static Claimed.Status supersede(String id, int waitMillis) throws SQLException {
        try (Connection other = Database.observer()) {
            return FENCE.claim(
                            other,
                            new ClaimRequest(
                                    "orders/" + id,
                                    "order:" + id,
                                    0,
                                    TOKENS.incrementAndGet(),
                                    UUID.randomUUID().toString().replace("-", ""),
                                    "another JVM"),
                            true,
                            waitMillis)
                    .status();
        }
    }

    /** What the service sees of a refusal: its state, a cause that explains it, and a message that names the resource. Returns the message. */
    static String assertRefused(String state, ThrowingCallable action) {
        SQLException seen = catchThrowableOfType(SQLException.class, action);
        assertThat((Throwable) seen).as("a refusal with " + state).isNotNull();
        assertThat(seen.getSQLState()).as(seen.toString()).isEqualTo(state);
        assertThat((Throwable) seen)
                .isExactlyInstanceOf(SQLNonTransientException.class)
                .hasCauseInstanceOf(FencedException.class);
        FencedException cause = (FencedException) seen.getCause();
        assertThat(cause.refusal().sqlState()).isEqualTo(state);
        assertThat(seen.getMessage()).isEqualTo(cause.getMessage());
        if (cause.resource() != null) {
            assertThat(seen.getMessage()).contains(cause.resource());
        }
        return seen.getMessage();
    }

    Counters counters() {
        return report.counters();
    }

    String log() {
        return log.toString(StandardCharsets.UTF_8);
    }

    /** Nothing is kept of leases and transactions that have ended, and nothing went wrong inside. */
    void assertNothingLeft() {
        assertThat(report.gauge(Gauge.LIVE_LEASES)).as("live leases").isZero();
        assertThat(report.gauge(Gauge.TRANSACTIONS_UNDER_LEASES))
                .as("transactions under leases")
                .isZero();
        assertThat(LeaseContext.current()).as("leases on the thread").isEmpty();
        assertThat(counters().faults()).as("faults of ours:\n" + log()).isZero();
    }

    @Override
    public void close() throws IOException {
        woven.close();
    }

    /** The fence row of a lock, as {@code token/lock}, or null. */
    static String fence(String id) throws SQLException {
        return value("select token || '/' || lock_name from lockfence.fence where resource = 'orders/" + id + "'");
    }

    static String value(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + Database.port() + "/postgres", "postgres", "");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    static void freshTable() throws SQLException {
        JdbcExercise.prepare();
        Database.run("insert into item(name, stock) values ('counter', 0)");
    }

    static int stock() throws SQLException {
        return Integer.parseInt(value("select stock from item where name = 'counter'"));
    }

    static int items() throws SQLException {
        return Integer.parseInt(value("select count(*) from item"));
    }

    /** Reads the counter as a service does. */
    static int read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select stock from item where name = 'counter'")) {
            row.next();
            return row.getInt(1);
        }
    }

    static void write(Connection connection, int stock) throws SQLException {
        execute(connection, "update item set stock = " + stock + " where name = 'counter'");
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static List<String> versions() {
        return List.of(Drivers.NEWEST, Drivers.OLDEST, Drivers.OLD_LINE);
    }
}
