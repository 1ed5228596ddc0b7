/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.agent.config.RulesLoader;
import io.lockfence.agent.fence.postgresql.PostgresFence;
import io.lockfence.agent.fence.postgresql.Servers;
import io.lockfence.agent.fence.postgresql.Version1;
import io.lockfence.agent.report.Log;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks without numbers of their own: the claim issues the token. Against a real server. */
class IssuedTokenTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** A coordinator that has no numbers, and cannot be asked. */
    private static final Coordinator NO_NUMBERS = new Coordinator() {
        @Override
        public CompletionStage<Proof> ask() {
            return CompletableFuture.failedFuture(new UnsupportedOperationException());
        }

        @Override
        public CompletionStage<Proof> raiseAbove(long token) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException());
        }

        @Override
        public boolean mints() {
            return false;
        }
    };

    private final String url = Servers.NEWEST.url();
    private final String lock = "issued-" + NUMBER.incrementAndGet();
    private int before;
    private Leases leases;
    private Transactions transactions;

    @BeforeEach
    void enforceEverything() throws Exception {
        before = LeaseContext.active();
        Protocol protocol =
                new Protocol(RulesLoader.parse("mode: enforce", "lockfence.yaml"), new Report(Log.to("quiet")));
        leases = protocol.leases();
        transactions = protocol.transactions();
        on(url, "INSERT INTO note VALUES ('" + lock + "', 0)");
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(leases.live()).as("leases left in the books").isZero();
        assertThat(transactions.open()).as("transactions left in the books").isZero();
        assertThat(LeaseContext.active()).isEqualTo(before);
    }

    private Lease acquire(String owner) {
        return acquire(owner, LONG);
    }

    private Lease acquire(String owner, Duration granted) {
        Proof proof = new Proof(System.nanoTime(), true, 0, granted.toNanos(), 1);
        return leases.acquired(new Acquisition(
                "redisson", lock, owner, LeaseContext.ofCurrentThread(), true, proof, null, true, NO_NUMBERS));
    }

    private Service service(String database) throws SQLException {
        return new Service(transactions, database);
    }

    private static String on(String database, String sql) throws SQLException {
        return Servers.ask(database, sql);
    }

    private String second(String name) throws Exception {
        String second = Servers.NEWEST.emptyDatabase(name);
        on(second, new PostgresFence().ddl());
        on(second, "CREATE TABLE note (id text PRIMARY KEY, value int NOT NULL)");
        on(second, "INSERT INTO note VALUES ('" + lock + "', 0)");
        return second;
    }

    private String read() {
        return "SELECT value FROM note WHERE id = '" + lock + "'";
    }

    private String write(int value) {
        return "UPDATE note SET value = " + value + " WHERE id = '" + lock + "'";
    }

    private long fence(String database) throws SQLException {
        String token = on(database, "SELECT token FROM lockfence.fence WHERE resource = '" + lock + "'");
        return token == null ? 0 : Long.parseLong(token);
    }

    /** As if another holder, who uses this database only, had claimed it. */
    private void fenceAt(String database, long token) throws SQLException {
        on(
                database,
                "INSERT INTO lockfence.fence VALUES ('" + lock + "', '" + lock + "', 0, " + token
                        + ", 0, 'somebody', 'elsewhere', now())");
    }

    private void elsewhere(String owner, ThrowingCallable work) throws Exception {
        CompletableFuture.runAsync(() -> {
                    acquire(owner);
                    try {
                        work.call();
                    } catch (Throwable t) {
                        throw new AssertionError("the new holder was refused", t);
                    } finally {
                        leases.releasing(owner);
                    }
                })
                .get(30, TimeUnit.SECONDS);
    }

    private static void assertRefused(String state, ThrowingCallable effect) {
        assertThatThrownBy(effect)
                .isInstanceOf(SQLException.class)
                .extracting(thrown -> ((SQLException) thrown).getSQLState())
                .isEqualTo(state);
    }

    @Test
    void theFirstAccessTakesANumberThatGrowsWithEachHold() throws Exception {
        long clock = System.currentTimeMillis() * 1_000;
        try (Service service = service(url)) {
            Lease first = acquire("a");
            assertThat(first.token()).isZero();
            service.query(read());
            assertThat(first.token()).isEqualTo(fence(url)).isBetween(clock - 60_000_000, clock + 60_000_000);
            service.execute(write(1));
            assertThat(first.token()).as("unchanged by later accesses").isEqualTo(fence(url));
            leases.releasing("a");

            Lease next = acquire("b");
            service.execute(write(2));
            assertThat(next.token()).isEqualTo(fence(url)).isGreaterThan(first.token());
            leases.releasing("b");
        }
        assertThat(on(url, read())).isEqualTo("2");
    }

    @Test
    void numbersGrowThoughTheClockOfTheServerDoesNot() throws Exception {
        long future = System.currentTimeMillis() * 1_000 + Duration.ofDays(1).toNanos() / 1_000;
        fenceAt(url, future);
        try (Service service = service(url)) {
            Lease lease = acquire("a");
            service.execute(write(1));
            assertThat(lease.token()).isEqualTo(future + 1);
            leases.releasing("a");
        }
    }

    @Test
    void anEarlierHolderIsRefusedOnceALaterOneHasClaimed() throws Exception {
        try (Service service = service(url).inTransactions()) {
            acquire("a");
            service.query(read());
            elsewhere("b", () -> {
                try (Service other = service(url)) {
                    other.query(read());
                    other.execute(write(7));
                }
            });
            service.execute(write(1));
            assertRefused("LF001", service::commit);
            service.rollback();
            leases.releasing("a");
        }
        assertThat(on(url, read())).isEqualTo("7");
    }

    @Test
    void whoHasPassedItsDeadlineTakesNoNumber() throws Exception {
        try (Service service = service(url)) {
            acquire("a", Duration.ZERO);
            assertRefused("LF002", () -> service.execute(write(1)));
            leases.releasing("a");
        }
        assertThat(fence(url)).as("nothing was claimed").isZero();
        assertThat(on(url, read())).isEqualTo("0");
    }

    @Test
    void severalDatabasesShareTheNumberOfTheFirst() throws Exception {
        String second = second("issued_shared");
        try (Service service = service(url);
                Service other = service(second)) {
            Lease lease = acquire("a");
            other.execute(write(1));
            service.execute(write(1));
            assertThat(fence(url)).isEqualTo(lease.token());
            assertThat(fence(second)).isEqualTo(lease.token());
            leases.releasing("a");
        }
    }

    @Test
    void aDatabaseThatIsAheadRaisesTheNumberOfTheFirst() throws Exception {
        String second = second("issued_ahead");
        long ahead = Long.MAX_VALUE / 2;
        fenceAt(second, ahead);
        try (Service service = service(url);
                Service other = service(second)) {
            Lease lease = acquire("a");
            service.execute(write(1));
            assertThat(lease.token()).isEqualTo(ahead + 1);
            assertThat(fence(url)).isEqualTo(ahead + 1);
            assertThat(fence(second)).isEqualTo(ahead + 1);
            other.execute(write(1));
            leases.releasing("a");
        }
    }

    @Test
    void twoDatabasesMayHaveIssuedTheSameNumber() throws Exception {
        String second = second("issued_twice");
        long number = Long.MAX_VALUE / 2;
        fenceAt(url, number);
        fenceAt(second, number + 1);
        try (Service service = service(url);
                Service other = service(second)) {
            Lease lease = acquire("a");
            service.execute(write(1));
            assertThat(lease.token()).isEqualTo(number + 2);
            assertThat(fence(second)).isEqualTo(number + 2);
            other.execute(write(1));
            leases.releasing("a");
        }
    }

    /** What was read in the first cannot be vouched for by a claim in the second: who is ahead there may be newer. */
    @Test
    void aDatabaseThatIsOpenedLaterAndIsAheadIsRefused() throws Exception {
        String second = second("issued_late");
        fenceAt(second, Long.MAX_VALUE / 2);
        try (Service service = service(url)) {
            acquire("a");
            service.query(read());
            try (Service other = service(second)) {
                assertRefused("LF001", () -> other.execute(write(1)));
            }
            service.execute(write(1));
            leases.releasing("a");
        }
        assertThat(on(second, read())).isEqualTo("0");
        assertThat(fence(second)).isEqualTo(Long.MAX_VALUE / 2);
    }

    @Test
    void takenAgainInATransactionThatKeepsTheFence() throws Exception {
        try (Service service = service(url).inTransactions()) {
            Lease first = acquire("a");
            service.execute(write(1));
            leases.releasing("a");
            Lease again = acquire("b");
            service.execute(write(2));
            assertThat(again.token()).isGreaterThan(first.token());
            service.commit();
            assertThat(fence(url)).isEqualTo(again.token());
            leases.releasing("b");
        }
        assertThat(on(url, read())).isEqualTo("2");
    }

    @Test
    void aClaimThatWasRolledBackIsMadeAgainWithANewNumber() throws Exception {
        try (Service service = service(url).inTransactions()) {
            acquire("a");
            service.execute(write(1));
            leases.releasing("a");
            Lease again = acquire("b");
            service.execute(write(2));
            long undone = again.token();
            service.rollback();
            assertThat(fence(url)).as("the claim is undone").isLessThan(undone);
            service.execute(write(3));
            assertThat(again.token()).isGreaterThan(undone);
            service.commit();
            leases.releasing("b");
        }
        assertThat(on(url, read())).isEqualTo("3");
    }

    @Test
    void aClaimThatWasRolledBackIsNotMadeAgainOverAnotherHolder() throws Exception {
        try (Service service = service(url).inTransactions()) {
            acquire("a");
            service.execute(write(1));
            leases.releasing("a");
            acquire("b");
            service.execute(write(2));
            service.rollback();
            elsewhere("c", () -> {
                try (Service other = service(url)) {
                    other.execute(write(7));
                }
            });
            assertRefused("LF001", () -> service.execute(write(3)));
            service.rollback();
            leases.releasing("b");
        }
        assertThat(on(url, read())).isEqualTo("7");
    }

    @Test
    void aRollbackToASavepointDoesNotLetAnOldHoldCommit() throws Exception {
        try (Service service = service(url).inTransactions()) {
            acquire("a");
            service.query(read());
            Savepoint savepoint = service.connection().setSavepoint();
            service.execute(write(1));
            service.connection().rollback(savepoint);
            elsewhere("b", () -> {
                try (Service other = service(url)) {
                    other.execute(write(7));
                }
            });
            service.execute(write(2));
            assertRefused("LF001", service::commit);
            service.rollback();
            leases.releasing("a");
        }
        assertThat(on(url, read())).isEqualTo("7");
    }

    /** The number that it would issue is above every other: it must not bring back a lease that has been claimed over. */
    @Test
    void aFirstAttemptThatArrivesLateDoesNotLetAnOldHoldCommit() throws Exception {
        HeldUpClaim heldUp = new HeldUpClaim(url);
        Driver driver = heldUp.driver();
        try (Service service = new Service(transactions, url, driver).inTransactions()) {
            acquire("a");
            service.query(read());
            assertThat(heldUp.isUnderWay()).isTrue();
            elsewhere("b", () -> {
                try (Service other = service(url)) {
                    other.query(read());
                    other.execute(write(7));
                }
            });
            heldUp.arrives();
            service.execute(write(1));
            assertRefused("LF001", service::commit);
            service.rollback();
            leases.releasing("a");
        }
        assertThat(on(url, read())).as("the update of b").isEqualTo("7");
    }

    @Test
    void aFirstAttemptThatArrivesLateDoesNotFenceOffItsOwnLease() throws Exception {
        HeldUpClaim heldUp = new HeldUpClaim(url);
        Driver driver = heldUp.driver();
        try (Service service = new Service(transactions, url, driver).inTransactions()) {
            Lease lease = acquire("a");
            service.query(read());
            assertThat(heldUp.isUnderWay()).isTrue();
            heldUp.arrives();
            service.execute(write(1));
            service.commit();
            assertThat(fence(url)).isEqualTo(lease.token());
            leases.releasing("a");
        }
        assertThat(on(url, read())).isEqualTo("1");
    }

    @Test
    void aFirstAttemptWhoseAnswerWasLostCounts() throws Exception {
        HeldUpClaim heldUp = new HeldUpClaim(url).thatArrivesAtOnce();
        Driver driver = heldUp.driver();
        try (Service service = new Service(transactions, url, driver).inTransactions()) {
            Lease lease = acquire("a");
            service.query(read());
            assertThat(heldUp.isUnderWay()).isTrue();
            service.execute(write(1));
            service.commit();
            assertThat(fence(url)).isEqualTo(lease.token());
            leases.releasing("a");
        }
        assertThat(on(url, read())).isEqualTo("1");
    }

    /** It may have taken the fence from a later holder, and would write over what that one has committed. */
    @Test
    void whoseDeadlinePassesDuringTheClaimWritesNothingEvenWhereTheGuardDecides() throws Exception {
        Protocol protocol = new Protocol(
                RulesLoader.parse(
                        "{mode: enforce, targets: [{name: db, jdbc: 'jdbc:postgresql://**', expired: guard}]}",
                        "lockfence.yaml"),
                new Report(Log.to("quiet")));
        leases = protocol.leases();
        transactions = protocol.transactions();
        Lease[] lease = new Lease[1];
        HeldUpClaim slow = new HeldUpClaim(url).answeredAfter(() -> {
            while (!lease[0].deadline().passed()) {
                Thread.onSpinWait();
            }
        });
        Driver driver = slow.driver();
        try (Service service = new Service(transactions, url, driver).inTransactions()) {
            lease[0] = acquire("a", Duration.ofSeconds(3));
            assertRefused("LF002", () -> service.execute(write(1)));
            service.rollback();
            leases.releasing("a");
        }
        assertThat(slow.isUnderWay()).isTrue();
        assertThat(fence(url)).as("it was claimed").isPositive();
        assertThat(on(url, read())).isEqualTo("0");
    }

    @Test
    void onAFenceOfVersion1AClaimWithoutATokenSaysWhatToRunAndLocksWithNumbersGoOn() throws Exception {
        String old = Servers.NEWEST.emptyDatabase("issued_old");
        on(old, Version1.ddl());
        on(old, "CREATE TABLE note (id text PRIMARY KEY, value int NOT NULL)");
        on(old, "INSERT INTO note VALUES ('" + lock + "', 0)");
        try (Service service = service(old)) {
            acquire("a");
            assertThatThrownBy(() -> service.execute(write(1)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContainingAll("LF004", "routines of this version", "java -jar lockfence.jar ddl")
                    .extracting(thrown -> ((SQLException) thrown).getSQLState())
                    .isEqualTo("LF004");
            leases.releasing("a");

            FakeCoordinator numbers = new FakeCoordinator(lock, 41);
            leases.acquired(numbers.acquire("b", LONG));
            service.execute(write(2));
            assertThat(fence(old)).isEqualTo(42);
            leases.releasing(lock + "|b");

            on(old, new PostgresFence().ddl());
            Lease upgraded = acquire("c");
            service.execute(write(3));
            assertThat(upgraded.token()).isEqualTo(fence(old)).isGreaterThan(42);
            leases.releasing("c");
        }
        assertThat(on(old, read())).isEqualTo("3");
    }
}
