/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.RulesLoader;
import io.lockfence.agent.fence.postgresql.PostgresFence;
import io.lockfence.agent.fence.postgresql.Servers;
import io.lockfence.agent.report.Log;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Refusal;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The protocol of DESIGN §2 against a real server; coordinator and driver are played by the test. */
class ProtocolTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    @TempDir
    Path directory;

    private final String url = Servers.NEWEST.url();
    private final String order = "order-" + NUMBER.incrementAndGet();
    private final FakeCoordinator lock = new FakeCoordinator(order, 100);
    private int before;
    private Report report;
    private Protocol protocol;
    private Leases leases;
    private Transactions transactions;

    @BeforeEach
    void enforceEverything() throws Exception {
        before = LeaseContext.active();
        rules("mode: enforce");
        onServer("INSERT INTO note VALUES ('" + order + "', 0)");
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(leases.live()).as("leases left in the books").isZero();
        assertThat(transactions.open()).as("transactions left in the books").isZero();
        assertThat(LeaseContext.active())
                .as("what keeps woven calls from being idle")
                .isEqualTo(before);
    }

    private void rules(String yaml) throws Exception {
        File file = directory.resolve("lockfence.yaml").toFile();
        Files.writeString(file.toPath(), yaml, StandardCharsets.UTF_8);
        report = new Report(Log.to("quiet"));
        protocol = new Protocol(RulesLoader.load(file), report);
        leases = protocol.leases();
        transactions = protocol.transactions();
    }

    private void changeTo(String yaml) throws Exception {
        Rules next = RulesLoader.parse(yaml, "changed");
        assertThat(protocol.hindrances(next)).isEmpty();
        protocol.change(next);
    }

    private Service service() throws SQLException {
        return new Service(transactions, url);
    }

    private Lease lock(String owner) {
        return leases.acquired(lock.acquire(owner, LONG));
    }

    private void unlock(String owner) {
        leases.releasing(order + "|" + owner);
        lock.lose();
    }

    /** Another JVM's holder: takes the lock over and has its lease claim, as its first read does. */
    private void takenOver() throws Exception {
        lock.lose();
        CompletableFuture.runAsync(() -> {
                    Lease theirs = lock("other");
                    try (Service service = service()) {
                        service.query(read());
                    } catch (SQLException e) {
                        throw new AssertionError("the new holder was refused", e);
                    } finally {
                        unlock("other");
                        assertThat(theirs.death()).isNull();
                    }
                })
                .get(30, TimeUnit.SECONDS);
    }

    private String read() {
        return "SELECT value FROM note WHERE id = '" + order + "'";
    }

    private String write(int value) {
        return "UPDATE note SET value = " + value + " WHERE id = '" + order + "'";
    }

    private String stored() throws SQLException {
        return onServer(read());
    }

    private String onServer(String sql) throws SQLException {
        return Servers.ask(url, sql);
    }

    private void assertRefused(Refusal refusal, ThrowingCallable effect) {
        assertThatThrownBy(effect)
                .isExactlyInstanceOf(SQLNonTransientException.class)
                .hasCauseInstanceOf(FencedException.class)
                .satisfies(thrown -> {
                    assertThat(((SQLException) thrown).getSQLState()).isEqualTo(refusal.sqlState());
                    assertThat(((FencedException) thrown.getCause()).refusal()).isEqualTo(refusal);
                });
    }

    @Test
    void theFirstReadClaimsAndTheCommitIsGuarded() throws Exception {
        try (Service service = service().inTransactions()) {
            Lease lease = lock("a");
            assertThat(service.query(read())).isEqualTo("0");
            assertThat(onServer(
                            "SELECT token || ' ' || lease_id FROM lockfence.fence WHERE resource = '" + order + "'"))
                    .isEqualTo(lease.token() + " " + lease.leaseId());
            service.execute(write(1));
            service.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
        assertThat(report.counters().refused()).isEmpty();
    }

    @Test
    void settingsAndLiteralsInAutocommitClaimNothing() throws Exception {
        try (Service service = service()) {
            lock("a");
            service.execute("SET application_name = 'x'");
            service.query("SHOW transaction_isolation");
            service.query("SELECT 1");
            assertThat(onServer("SELECT count(*) FROM lockfence.fence WHERE resource = '" + order + "'"))
                    .isEqualTo("0");
            unlock("a");
        }
    }

    @Test
    void aSupersededHolderIsRefusedAtItsCommitAndTheConnectionIsUsableAfterRollback() throws Exception {
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            takenOver();
            service.execute(write(7));
            assertRefused(Refusal.STALE, service::commit);
            assertThat(service.session().transactionOpen()).isFalse();
            assertRefused(Refusal.STALE, () -> service.query(read()));
            assertRefused(Refusal.STALE, service::commit);
            service.rollback();
            unlock("a");
            assertThat(service.query(read())).isEqualTo("0");
            service.rollback();
        }
    }

    @Test
    void aLateFirstClaimIsRefusedBeforeItReads() throws Exception {
        try (Service service = service()) {
            lock("a");
            takenOver();
            assertRefused(Refusal.STALE, () -> service.query(read()));
            unlock("a");
        }
    }

    @Test
    void whatIsSentAfterTheDeadlineIsRefusedButReadsPass() throws Exception {
        try (Service service = service().inTransactions()) {
            Lease lease = leases.acquired(lock.acquire("a", Duration.ofMillis(400), true));
            service.query(read());
            service.execute(write(1));
            await(() -> lease.death() != null);
            assertThat(service.query(read())).isEqualTo("1");
            assertRefused(Refusal.EXPIRED, service::commit);
            service.rollback();
            assertRefused(Refusal.EXPIRED, () -> service.execute(write(2)));
            service.rollback();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("0");
    }

    @Test
    void plainReadsUnderADeadLeaseMayBeCommitted() throws Exception {
        try (Service service = service().inTransactions()) {
            Lease lease = leases.acquired(lock.acquire("a", Duration.ofMillis(300), true));
            service.query(read());
            await(() -> lease.death() != null);
            service.query(read());
            assertThatCode(service::commit).doesNotThrowAnyException();
            unlock("a");
        }
    }

    @Test
    void plainReadsUnderADeadLeaseMayBeCommittedInATransactionThatWroteBeforeTheLock() throws Exception {
        try (Service service = service().inTransactions()) {
            service.execute(write(8));
            Lease lease = leases.acquired(lock.acquire("a", Duration.ofMillis(300), true));
            service.query(read());
            await(() -> lease.death() != null);
            service.query(read());
            service.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("8");
    }

    @Test
    void anInterruptedThreadMayClaim() throws Exception {
        try (Service service = service()) {
            lock("a");
            Thread.currentThread().interrupt();
            try {
                service.execute(write(1));
            } finally {
                assertThat(Thread.interrupted())
                        .as("the interrupt is still there")
                        .isTrue();
            }
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
    }

    @Test
    void theGuardMayDecideForWhatWasSentInTime() throws Exception {
        rules("""
                mode: enforce
                locks:
                  - {name: all, library: redisson, key: "*"}
                targets:
                  - {name: db, jdbc: "**", expired: guard}
                """);
        try (Service service = service().inTransactions()) {
            Lease lease = leases.acquired(lock.acquire("a", Duration.ofMillis(400), true));
            service.query(read());
            service.execute(write(1));
            await(() -> lease.death() != null);
            service.commit();
            unlock("a");
            assertThat(stored()).isEqualTo("1");
        }
        try (Service service = service().inTransactions()) {
            Lease lease = leases.acquired(lock.acquire("b", Duration.ofMillis(400), true));
            service.query(read());
            service.execute(write(2));
            await(() -> lease.death() != null);
            takenOver();
            assertRefused(Refusal.STALE, service::commit);
            service.rollback();
            unlock("b");
        }
        assertThat(stored()).isEqualTo("1");
    }

    @Test
    void anUnlockBeforeTheCommitKeepsTheNextHolderWaiting() throws Exception {
        try (Service service = service().inTransactions();
                Service next = service().inTransactions()) {
            lock("a");
            assertThat(service.query(read())).isEqualTo("0");
            unlock("a");
            CompletableFuture<String> nextRead = CompletableFuture.supplyAsync(() -> {
                lock("b");
                try {
                    String value = next.query(read());
                    next.execute(write(10));
                    next.commit();
                    return value;
                } catch (SQLException e) {
                    throw new AssertionError(e);
                } finally {
                    unlock("b");
                }
            });
            assertThatThrownBy(() -> nextRead.get(700, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            // As a mapper does: its changes are flushed at the commit, after the unlock.
            service.execute(write(1));
            service.commit();
            assertThat(nextRead.get(10, TimeUnit.SECONDS)).isEqualTo("1");
        }
        assertThat(stored()).isEqualTo("10");
        assertThat(report.counters().refused()).isEmpty();
    }

    @Test
    void withoutTheGuardAtReleaseTheEarlyUnlockIsRefused() throws Exception {
        rules("""
                mode: enforce
                locks:
                  - {name: all, library: redisson, key: "*", guardAtRelease: false}
                """);
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            service.execute(write(1));
            unlock("a");
            takenOver();
            assertRefused(Refusal.STALE, service::commit);
            service.rollback();
        }
        assertThat(stored()).isEqualTo("0");
    }

    @Test
    void lockWriteUnlockLockInOneTransactionCommits() throws Exception {
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            service.execute(write(1));
            unlock("a");
            lock("a");
            service.query(read());
            service.execute(write(2));
            service.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("2");
        assertThat(report.counters().refused()).isEmpty();
    }

    @Test
    void aRollbackToASavepointAfterASecondLeaseRefusesNoHealthyHolder() throws Exception {
        for (boolean undoesTheClaim : new boolean[] {false, true}) {
            try (Service service = service().inTransactions()) {
                lock("a");
                service.query(read());
                service.execute(write(1));
                unlock("a");
                if (undoesTheClaim) {
                    service.execute("SAVEPOINT s");
                }
                lock("a");
                service.query(read());
                if (!undoesTheClaim) {
                    service.execute("SAVEPOINT s");
                }
                service.execute("ROLLBACK TO SAVEPOINT s");
                service.execute(write(3));
                service.commit();
                unlock("a");
            }
            assertThat(stored()).isEqualTo("3");
        }
        assertThat(report.counters().refused()).isEmpty();
    }

    /** spec/undone.pml: whoever claimed between the rollback and now has read and written; what we read before is old. */
    @Test
    void aClaimThatARollbackUndidIsNotMadeAgainOverSomebodyElse() throws Exception {
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            service.execute(write(1));
            unlock("a");
            lock.acquire("between", LONG);
            long between = lock.counter();
            lock.lose();
            lock("a");
            service.query(read());
            service.rollback();
            onServer("UPDATE lockfence.fence SET token = " + between + ", lease_id = 'theirs' WHERE resource = '"
                    + order + "'");
            onServer(write(50));
            assertRefused(Refusal.STALE, () -> service.execute(write(2)));
            service.rollback();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("50");
    }

    @Test
    void aClaimThatARollbackUndidIsMadeAgainWhereNobodyCame() throws Exception {
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            service.execute(write(1));
            unlock("a");
            lock("a");
            service.query(read());
            service.rollback();
            assertThat(service.query(read())).isEqualTo("0");
            service.execute(write(2));
            service.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("2");
    }

    /** spec/two-databases.pml -DCRASH=1: an asynchronous claim that a crash lost must not be made again in silence. */
    @Test
    void aClaimThatTheFirstDatabaseLostIsNotedBeforeTheSecondIsTouched() throws Exception {
        String second = Servers.NEWEST.emptyDatabase("second_target");
        try (Connection connection = DriverManager.getConnection(second);
                Statement statement = connection.createStatement()) {
            statement.execute(new PostgresFence().ddl());
        }
        try (Service service = service()) {
            lock("a");
            service.query(read());
            onServer("DELETE FROM lockfence.fence WHERE resource = '" + order + "'");
            try (Service later = new Service(transactions, second)) {
                assertRefused(Refusal.CLAIM_LOST, () -> later.execute("CREATE TABLE t ()"));
            }
            assertRefused(Refusal.CLAIM_LOST, () -> service.execute(write(1)));
            unlock("a");
        }
        assertThat(stored()).isEqualTo("0");
    }

    @Test
    void aDatabaseThatCouldNotBeClaimedAtTheFirstAccessStaysRefused() throws Exception {
        String second = Servers.NEWEST.emptyDatabase("claimed_never");
        try (Service service = service();
                Service other = new Service(transactions, second)) {
            lock("a");
            service.query(read());
            try (Connection connection = DriverManager.getConnection(second);
                    Statement statement = connection.createStatement()) {
                statement.execute(new PostgresFence().ddl());
            }
            assertRefused(Refusal.UNKNOWN, () -> other.execute("CREATE TABLE t ()"));
            service.execute(write(1));
            unlock("a");
            lock("a");
            other.execute("CREATE TABLE t ()");
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
    }

    @Test
    void theGuardDecidesNothingWhereNoClaimStands() throws Exception {
        rules("""
                mode: enforce
                targets:
                  - {name: db, jdbc: "**", expired: guard}
                """);
        String second = Servers.NEWEST.emptyDatabase("guard_without_claim");
        try (Service service = service();
                Service other = new Service(transactions, second).inTransactions()) {
            Lease lease = leases.acquired(lock.acquire("a", Duration.ofSeconds(2)));
            service.query(read());
            try (Connection connection = DriverManager.getConnection(second);
                    Statement statement = connection.createStatement()) {
                statement.execute(new PostgresFence().ddl());
                statement.execute("CREATE TABLE t (n int)");
            }
            await(() -> lease.death() != null);
            other.query("SELECT count(*) FROM t");
            unlock("a");
            other.execute("INSERT INTO t VALUES (1)");
            assertRefused(Refusal.EXPIRED, other::commit);
            other.rollback();
            assertThat(other.query("SELECT count(*) FROM t")).isEqualTo("0");
            other.rollback();
        }
    }

    @Test
    void aClaimThatFailedOnAnotherThreadIsNoticedAtTheCommit() throws Exception {
        try (Service service = service().inTransactions()) {
            FencedLease lease = (FencedLease) lock("a");
            service.query(read());
            Refused failure = Refused.under(Reason.DATABASE_FAILED, lease).of("access", "db");
            lease.claims().replaceAll((database, claim) -> Claim.failed(failure));
            service.execute(write(1));
            assertRefused(Refusal.UNKNOWN, service::commit);
            service.rollback();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("0");
    }

    /** spec/two-databases.pml -DCRASH=1 -DLAZY=1, where the second access is a claim in a transaction. */
    @Test
    void aClaimInATransactionMakesTheOtherDatabasesClaimDurableFirst() throws Exception {
        String second = Servers.NEWEST.emptyDatabase("claimed_inside");
        try (Connection connection = DriverManager.getConnection(second);
                Statement statement = connection.createStatement()) {
            statement.execute(new PostgresFence().ddl());
            statement.execute("CREATE TABLE t (n int)");
        }
        try (Service service = service();
                Service other = new Service(transactions, second).inTransactions()) {
            lock("a");
            other.execute("INSERT INTO t VALUES (1)");
            unlock("a");
            FencedLease again = (FencedLease) lock("a");
            service.query(read());
            assertThat(again.claims().values()).extracting(Claim::durable).containsExactly(false);
            other.execute("INSERT INTO t VALUES (2)");
            assertThat(again.claims().values())
                    .extracting(Claim::state, Claim::durable)
                    .containsExactlyInAnyOrder(tuple(Claim.State.HELD, true), tuple(Claim.State.IN_TRANSACTION, true));
            other.commit();
            unlock("a");
        }
    }

    @Test
    void aSecondLeaseInTheTransactionDoesNotHideThatTheFirstWasSuperseded() throws Exception {
        rules("""
                mode: enforce
                locks:
                  - {name: all, library: redisson, key: "*", guardAtRelease: false}
                """);
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            service.execute(write(1));
            unlock("a");
            takenOver();
            lock("a");
            service.query(read());
            assertRefused(Refusal.STALE, service::commit);
            service.rollback();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("0");
    }

    @Test
    void aClaimThatWouldWaitForTheSameThreadIsRefusedAtOnce() throws Exception {
        try (Service outer = service().inTransactions();
                Service inner = service().inTransactions()) {
            lock("a");
            outer.query(read());
            outer.execute(write(1));
            unlock("a");
            lock("a");
            long began = System.nanoTime();
            assertRefused(Refusal.UNGUARDABLE, () -> inner.query(read()));
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(3));
            inner.rollback();
            outer.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
    }

    @Test
    void anInnerTransactionUnderTheSameLeaseCommitsIndependently() throws Exception {
        try (Service outer = service().inTransactions();
                Service inner = service().inTransactions()) {
            lock("a");
            outer.query(read());
            inner.execute(write(5));
            inner.commit();
            outer.execute(write(6));
            outer.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("6");
    }

    @Test
    void aLostCounterIsRaisedOnceForTheLiveHolder() throws Exception {
        try (Service service = service()) {
            lock("a");
            service.query(read());
            unlock("a");
            lock.forgetCounter(0);
            Lease lease = lock("a");
            assertThat(lease.token()).isEqualTo(1);
            assertThat(service.query(read())).isEqualTo("0");
            assertThat(lease.token()).isGreaterThan(101);
            service.execute(write(1));
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
    }

    @Test
    void aLostCounterThatCannotBeRaisedIsRefusedAndSaysWhatToDo() throws Exception {
        try (Service service = service()) {
            lock("a");
            service.query(read());
            unlock("a");
            lock.forgetCounter(0);
            lock.cannotRaise();
            lock("a");
            assertThatThrownBy(() -> service.query(read())).hasMessageContaining("generation");
            unlock("a");
        }
    }

    @Test
    void aHolderThatTheCoordinatorDoesNotKnowIsNotRaised() throws Exception {
        try (Service service = service()) {
            lock("a");
            service.query(read());
            unlock("a");
            lock.forgetCounter(0);
            lock("a");
            lock.lose();
            assertRefused(Refusal.STALE, () -> service.query(read()));
            unlock("a");
        }
    }

    @Test
    void aTokenIssuedTwiceIsRefused() throws Exception {
        try (Service service = service()) {
            lock("a");
            service.query(read());
            unlock("a");
            lock.forgetCounter(100);
            lock("a");
            assertRefused(Refusal.DUPLICATE_TOKEN, () -> service.query(read()));
            unlock("a");
        }
    }

    @Test
    void aResourceOfAnotherLockIsNeverSettledByComparingNumbers() throws Exception {
        onServer(
                "INSERT INTO lockfence.fence (resource, lock_name, generation, token, lease_id, holder, claimed_at) VALUES ('"
                        + order + "', 'another', 0, 5, 'x', 'h', now())");
        try (Service service = service()) {
            lock("a");
            assertThatThrownBy(() -> service.query(read()))
                    .hasMessageContaining("'" + order + "'")
                    .hasMessageContaining("'another'")
                    .extracting(thrown -> ((SQLException) thrown).getSQLState())
                    .isEqualTo("LF006");
            unlock("a");
        }
    }

    @Test
    void aDatabaseThatLostTheClaimIsRefusedAsSuch() throws Exception {
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            onServer("DELETE FROM lockfence.fence WHERE resource = '" + order + "'");
            service.execute(write(1));
            assertRefused(Refusal.CLAIM_LOST, service::commit);
            service.rollback();
            unlock("a");
        }
    }

    @Test
    void anOlderGenerationIsRefusedWhateverItsToken() throws Exception {
        onServer(
                "INSERT INTO lockfence.fence (resource, lock_name, generation, token, lease_id, holder, claimed_at) VALUES ('"
                        + order + "', '" + order + "', 1, 5, 'x', 'h', now())");
        try (Service service = service()) {
            lock("a");
            assertRefused(Refusal.STALE, () -> service.query(read()));
            unlock("a");
        }
    }

    @Test
    void aSnapshotFromBeforeTheLockIsRefused() throws Exception {
        try (Service service = service().inTransactions().isolation(Connection.TRANSACTION_REPEATABLE_READ)) {
            service.query(read());
            takenOver();
            lock("a");
            assertRefused(Refusal.UNGUARDABLE, () -> service.query(read()));
            service.rollback();
            service.query(read());
            service.execute(write(1));
            service.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
    }

    @Test
    void aCursorFromBeforeTheLockIsRefusedAndOneFromAfterItIsNot() throws Exception {
        try (Service service = service().inTransactions()) {
            service.execute("DECLARE mov CURSOR WITH HOLD FOR " + read());
            service.commit();
            takenOver();
            lock("a");
            assertRefused(Refusal.UNGUARDABLE, () -> service.query("FETCH ALL FROM mov"));
            service.rollback();
            service.execute("UPDATE note SET value = value + 1 WHERE id <> 'removed' AND id = '" + order + "'");
            service.execute("DECLARE \"Fresh\" CURSOR FOR " + read());
            assertThat(service.query("FETCH NEXT FROM \"Fresh\"")).isEqualTo("1");
            service.commit();
            service.execute("CLOSE mov");
            service.rollback();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
    }

    @Test
    void aTransactionThatHasTakenNoSnapshotYetMayTakeTheLock() throws Exception {
        for (int level : new int[] {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
            try (Service service = service().inTransactions().isolation(level)) {
                service.execute("SET LOCAL work_mem = '1MB'");
                lock("a");
                service.query(read());
                service.execute(write(level));
                service.commit();
                unlock("a");
            }
            assertThat(stored()).isEqualTo(String.valueOf(level));
        }
    }

    @Test
    void lockInsideAnOpenTransactionAtReadCommittedSeesWhatTheLastHolderWrote() throws Exception {
        try (Service service = service().inTransactions()) {
            service.query(read());
            lock("b");
            onServer(write(41));
            assertThat(service.query(read())).isEqualTo("41");
            service.execute(write(42));
            service.commit();
            unlock("b");
        }
        assertThat(stored()).isEqualTo("42");
    }

    @Test
    void aClaimThatWaitsTooLongSaysSoAndCanBeTriedAgain() throws Exception {
        rules("""
                mode: enforce
                claimTimeout: 1500ms
                """);
        try (Service service = service().inTransactions();
                Service next = service()) {
            lock("a");
            service.query(read());
            service.execute(write(1));
            unlock("a");
            CompletableFuture.runAsync(() -> {
                        lock("b");
                        assertRefused(Refusal.UNKNOWN, () -> next.query(read()));
                        try {
                            service.commit();
                            assertThat(next.query(read())).isEqualTo("1");
                        } catch (SQLException e) {
                            throw new AssertionError(e);
                        } finally {
                            unlock("b");
                        }
                    })
                    .get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void autocommittedWritesAreGuardedToo() throws Exception {
        try (Service service = service()) {
            lock("a");
            service.query(read());
            service.execute(write(1));
            assertThat(stored()).isEqualTo("1");
            takenOver();
            assertRefused(Refusal.STALE, () -> service.execute(write(2)));
            unlock("a");
            assertThat(service.query(read())).isEqualTo("1");
            service.execute(write(3));
        }
        assertThat(stored()).isEqualTo("3");
    }

    @Test
    void whatCannotBeGuardedIsRefusedByName() throws Exception {
        onServer("CREATE OR REPLACE PROCEDURE commits() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$");
        try (Service service = service()) {
            lock("a");
            service.query(read());
            assertRefused(Refusal.UNGUARDABLE, () -> service.execute("CALL commits()"));
            assertRefused(Refusal.UNGUARDABLE, () -> service.execute("BEGIN; " + write(9) + "; COMMIT"));
            service.execute("VACUUM note");
            assertThat(service.query(read())).isEqualTo("0");
            unlock("a");
        }
        try (Service service = service().inTransactions()) {
            lock("a");
            service.execute(write(4));
            assertRefused(Refusal.UNGUARDABLE, () -> service.execute("PREPARE TRANSACTION 'x'"));
            service.rollback();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("0");
    }

    @Test
    void commitAsTextIsGuarded() throws Exception {
        try (Service service = service()) {
            lock("a");
            service.execute("BEGIN");
            service.query(read());
            service.execute(write(1));
            takenOver();
            assertRefused(Refusal.STALE, () -> service.execute("COMMIT AND CHAIN"));
            assertRefused(Refusal.STALE, () -> service.execute("COMMIT"));
            service.execute("ROLLBACK");
            unlock("a");
        }
        assertThat(stored()).isEqualTo("0");
    }

    @Test
    void aDatabaseWithoutAFenceIsRefusedWithTheCommandThatInstallsIt() throws Exception {
        String empty = Servers.NEWEST.emptyDatabase("without_fence");
        try (Service service = new Service(transactions, empty)) {
            lock("a");
            assertThatThrownBy(() -> service.execute("CREATE TABLE t ()"))
                    .hasMessageContaining("ddl --database postgresql");
            unlock("a");
        }
    }

    @Test
    void aDatabaseOpenedLaterThatIsAheadIsRefusedThereAlone() throws Exception {
        String second = Servers.NEWEST.emptyDatabase("opened_later");
        try (Connection connection = DriverManager.getConnection(second);
                Statement statement = connection.createStatement()) {
            statement.execute(new PostgresFence().ddl());
            statement.execute(
                    "INSERT INTO lockfence.fence (resource, lock_name, generation, token, lease_id, holder, claimed_at)"
                            + " VALUES ('" + order + "', '" + order + "', 0, 9000000000, 'x', 'h', now())");
        }
        try (Service service = service()) {
            lock("a");
            service.query(read());
            try (Service later = new Service(transactions, second)) {
                assertThatThrownBy(() -> later.execute("CREATE TABLE t ()")).hasMessageContaining("counter");
            }
            service.execute(write(1));
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
    }

    @Test
    void aFreshHoldOfTheSameOwnerMeansThatTheFirstWasLost() throws Exception {
        try (Service service = service().inTransactions()) {
            Lease first = lock("a");
            service.query(read());
            takenOver();
            lock.lose();
            Lease second = lock("a");
            assertThat(first.death()).isEqualTo(Lease.Death.LOST);
            assertThat(second.death()).isNull();
            assertRefused(Refusal.EXPIRED, () -> service.execute(write(1)));
            service.rollback();
            leases.releasing(order + "|a");
            leases.releasing(order + "|a");
        }
    }

    @Test
    void aRunOnceMarkerTakenAgainReplacesTheOneThatRanOut() throws Exception {
        try (Service service = service()) {
            Lease first = leases.acquired(lock.acquire("a", Duration.ofMillis(100), true));
            await(() -> first.death() != null);
            lock.lose();
            leases.acquired(lock.acquire("a", LONG, true));
            service.execute(write(1));
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
    }

    @Test
    void reentryKeepsTheLeaseAndTheLastUnlockEndsIt() throws Exception {
        Lease outer = lock("a");
        assertThat(lock("a")).isSameAs(outer);
        assertThat(leases.releasing(order + "|a")).isFalse();
        assertThat(outer.released()).isFalse();
        assertThat(leases.releasing(order + "|a")).isTrue();
        assertThat(outer.released()).isTrue();
    }

    @Test
    void aServiceThatWasToldOfTheLossAndSkippedItsUnlockIsNotRefusedForEver() throws Exception {
        try (Service service = service()) {
            Lease lost = lock("a");
            service.query(read());
            lock.lose();
            leases.told(order + "|a");
            assertThat(lost.death()).isEqualTo(Lease.Death.LOST);
            assertRefused(Refusal.EXPIRED, () -> service.execute(write(1)));
            leases.taskEnded(LeaseContext.ofCurrentThread());
            lock("a");
            service.execute(write(2));
            unlock("a");
        }
        assertThat(stored()).isEqualTo("2");
    }

    @Test
    void leasesLeftByAUnitAreSetAsideAndForgottenWhenDead() throws Exception {
        Lease lease = leases.acquired(lock.acquire("a", Duration.ofMillis(100), true));
        await(() -> lease.death() != null);
        LeaseContext.ofCurrentThread().detach(lease);
        leases.leftOver(new Lease[] {lease}, "a request");
        assertThat(leases.live()).isZero();
    }

    @Test
    void shadowReportsWhatEnforceWouldHaveRefusedAndBreaksNothing() throws Exception {
        rules("mode: shadow");
        String empty = Servers.NEWEST.emptyDatabase("shadow_without_fence");
        try (Service service = service().inTransactions();
                Service without = new Service(transactions, empty).inTransactions()) {
            lock("a");
            without.execute("CREATE TABLE t ()");
            without.commit();
            service.query(read());
            takenOver();
            service.execute(write(1));
            service.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
        assertThat(report.counters().refused()).isEmpty();
        assertThat(report.counters().wouldHaveRefused()).containsKeys(Refusal.STALE, Refusal.UNKNOWN);
    }

    @Test
    void observeSendsNothing() throws Exception {
        rules("mode: observe");
        try (Service service = service().inTransactions()) {
            Lease lease = leases.acquired(lock.acquire("a", Duration.ofMillis(200), true));
            service.query(read());
            await(() -> lease.death() != null);
            service.execute(write(1));
            service.commit();
            unlock("a");
        }
        assertThat(onServer("SELECT count(*) FROM lockfence.fence WHERE resource = '" + order + "'"))
                .isEqualTo("0");
        assertThat(stored()).isEqualTo("1");
        assertThat(report.counters().wouldHaveRefused()).containsKey(Refusal.EXPIRED);
    }

    @Test
    void writesUnderNoLeaseAreRejectedWhereTheRulesDemandOne() throws Exception {
        rules("""
                mode: enforce
                targets:
                  - {name: db, jdbc: "**", unleased: reject}
                """);
        try (Service service = service()) {
            assertThat(service.query(read())).isEqualTo("0");
            assertRefused(Refusal.UNLEASED, () -> service.execute(write(1)));
            lock("a");
            service.execute(write(2));
            unlock("a");
        } finally {
            // The rule counts for as long as the JVM lives.
            LeaseContext.deactivate();
        }
        assertThat(stored()).isEqualTo("2");
    }

    @Test
    void claimAtAcquireFencesTheOldHolderBeforeAnyAccess() throws Exception {
        rules("""
                mode: enforce
                locks:
                  - {name: all, library: redisson, key: "*", claim: acquire}
                """);
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            service.execute(write(1));
            lock.lose();
            CompletableFuture.runAsync(() -> {
                        lock("b");
                        unlock("b");
                    })
                    .get(10, TimeUnit.SECONDS);
            assertRefused(Refusal.STALE, service::commit);
            service.rollback();
            unlock("a");
        }
    }

    @Test
    void severalLeasesInOneTransactionMustAllHold() throws Exception {
        FakeCoordinator stock = new FakeCoordinator(order + "-stock", 5);
        try (Service service = service().inTransactions()) {
            lock("a");
            leases.acquired(stock.acquire("a", LONG));
            service.query(read());
            service.execute(write(1));
            service.commit();
            assertThat(stored()).isEqualTo("1");
            service.query(read());
            takenOver();
            service.execute(write(2));
            assertRefused(Refusal.STALE, service::commit);
            service.rollback();
            leases.releasing(order + "-stock|a");
            unlock("a");
        }
        assertThat(stored()).isEqualTo("1");
    }

    @Test
    void aLeaseWithoutATokenCanProtectNothing() throws Exception {
        Acquisition good = lock.acquire("a", LONG);
        leases.acquired(new Acquisition(
                good.library(),
                good.lock(),
                good.owner(),
                good.context(),
                true,
                null,
                "no answer from Redis within 2 s",
                false,
                good.coordinator()));
        try (Service service = service()) {
            assertThatThrownBy(() -> service.execute(write(1)))
                    .hasMessageContaining("no answer from Redis")
                    .extracting(thrown -> ((SQLException) thrown).getSQLState())
                    .isEqualTo("LF004");
            unlock("a");
        }
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited 20 s for a condition").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void modeObserveStopsRefusingAtOnceAlsoUnderLeasesThatWereTakenBefore() throws Exception {
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            takenOver();
            service.execute(write(7));
            changeTo("mode: observe");
            service.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("7");
        assertThat(report.counters().refused()).isEmpty();
    }

    @Test
    void aTransactionThatWasRefusedStaysSoUntilItIsRolledBack() throws Exception {
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            takenOver();
            service.execute(write(7));
            assertRefused(Refusal.STALE, service::commit);
            changeTo("mode: observe");
            assertRefused(Refusal.STALE, () -> service.execute(write(8)));
            service.rollback();
            service.execute(write(9));
            service.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("9");
    }

    @Test
    void aLeaseThatWasTakenInALowerModeIsNeverRaised() throws Exception {
        changeTo("mode: observe");
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            service.commit();
            changeTo("mode: enforce");
            takenOver();
            service.execute(write(7));
            service.commit();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("7");
        assertThat(report.counters().refused()).isEmpty();
    }

    @Test
    void aLeaseThatWasLoweredStaysLowered() throws Exception {
        try (Service service = service().inTransactions()) {
            lock("a");
            changeTo("mode: observe");
            service.query(read());
            service.commit();
            changeTo("mode: enforce");
            takenOver();
            service.execute(write(7));
            service.commit();
            unlock("a");
        }
        assertThat(report.counters().refused()).isEmpty();
    }

    @Test
    void leasesTakenAfterASwitchToEnforceAreFenced() throws Exception {
        changeTo("mode: observe");
        try (Service service = service().inTransactions()) {
            changeTo("mode: enforce");
            lock("a");
            service.query(read());
            takenOver();
            service.execute(write(7));
            assertRefused(Refusal.STALE, service::commit);
            service.rollback();
            unlock("a");
        }
        assertThat(stored()).isEqualTo("0");
    }

    @Test
    void aLockThatTheRulesNameNoMoreIsRefusedNothingAndItsLeaseStillEnds() throws Exception {
        try (Service service = service().inTransactions()) {
            lock("a");
            service.query(read());
            takenOver();
            changeTo("""
                    mode: enforce
                    locks:
                      - { name: others, library: redisson, key: "no such lock" }
                    """);
            service.execute(write(7));
            service.commit();
            unlock("a");
        }
        assertThat(report.counters().refused()).isEmpty();
        assertThat(leases.live()).isZero();
    }

    @Test
    void targetsThatOpenConnectionsDoNotFitHinderAChange() throws Exception {
        try (Service service = service()) {
            service.query("SELECT 1");
            assertThat(protocol.hindrances(RulesLoader.parse("""
                    mode: enforce
                    targets:
                      - { name: other, jdbc: "jdbc:postgresql://elsewhere/other" }
                    """, "changed")))
                    .singleElement()
                    .asString()
                    .contains("no target matches jdbc:postgresql://");
            assertThat(protocol.hindrances(RulesLoader.parse("""
                    mode: enforce
                    targets:
                      - { name: all, jdbc: "jdbc:postgresql://**", unleased: reject }
                    """, "changed")))
                    .singleElement()
                    .asString()
                    .contains("'unleased' of target 'all'");
        }
    }

    /** A lease keeps its rule, which names what it protects: nothing would be fenced under it any more. */
    @Test
    void anotherNameForATargetThatLocksNameHindersAChange() throws Exception {
        String yaml = """
                mode: enforce
                locks:
                  - { name: a, library: redisson, key: "a", protects: [NAME] }
                targets:
                  - { name: NAME, jdbc: "jdbc:postgresql://**" }
                """;
        rules(yaml.replace("NAME", "orders-db"));
        try (Service service = service()) {
            service.query("SELECT 1");
            assertThat(protocol.hindrances(RulesLoader.parse(yaml.replace("NAME", "main-db"), "changed")))
                    .singleElement()
                    .asString()
                    .contains("target 'main-db' takes the place of 'orders-db'");
            assertThat(protocol.hindrances(RulesLoader.parse(yaml.replace("NAME", "orders-db"), "changed")))
                    .isEmpty();
        }
    }

    @Test
    void aDatabaseThatWasLeftAloneHindersAChangeThatNamesIt() throws Exception {
        rules("""
                mode: enforce
                targets:
                  - { name: other, jdbc: "jdbc:postgresql://elsewhere/other" }
                """);
        try (Service service = service()) {
            service.query("SELECT 1");
            assertThat(protocol.hindrances(RulesLoader.parse("mode: enforce", "changed")))
                    .singleElement()
                    .asString()
                    .contains("was left alone so far");
        }
    }

    @Test
    void anInactiveLibraryRefusesInEnforceModeAlone() throws Exception {
        changeTo("mode: observe");
        transactions.inactive("redisson", "its hooks were not found");
        try (Service service = service()) {
            service.execute(write(1));
            changeTo("mode: enforce");
            assertRefused(Refusal.UNKNOWN, () -> service.execute(write(2)));
            changeTo("mode: observe");
            service.execute(write(3));
        }
        transactions.active("redisson");
        assertThat(stored()).isEqualTo("3");
    }
}
