/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.lockfence.agent.fence.ClaimRequest;
import io.lockfence.agent.fence.Claimed;
import io.lockfence.agent.fence.FenceRow;
import io.lockfence.agent.fence.GuardFailedException;
import io.lockfence.agent.fence.GuardFinding;
import io.lockfence.agent.fence.GuardItem;
import io.lockfence.agent.fence.ReleaseGuard;
import io.lockfence.bootstrap.Refusal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;

/** The fence of a real PostgreSQL, seen through its Java face. */
@ParameterizedClass
@EnumSource
class PostgresFenceTest {
    private static final int WAIT = 10_000;

    private final PostgresFence fence = new PostgresFence();
    private final String resource = "orders/" + UUID.randomUUID();
    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private final Servers server;
    private Connection own;
    private Connection service;

    PostgresFenceTest(Servers server) {
        this.server = server;
    }

    @BeforeEach
    void connect() throws SQLException {
        own = server.connect();
        service = server.connect();
        service.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        own.close();
        service.close();
        other.shutdownNow();
    }

    // Claims.

    @Test
    void firstClaimTakesTheFenceAndShowsIt() throws SQLException {
        Claimed claimed = claim(5, "a");

        assertThat(claimed.status()).isEqualTo(Claimed.Status.CLAIMED);
        assertThat(claimed.row())
                .returns(resource, FenceRow::resource)
                .returns("lock", FenceRow::lock)
                .returns(0, FenceRow::generation)
                .returns(5L, FenceRow::token)
                .returns(0L, FenceRow::readToken)
                .returns("a", FenceRow::leaseId)
                .returns("host/1/main", FenceRow::holder);
        assertThat(claimed.row().age()).isBetween(Duration.ZERO, Duration.ofSeconds(10));
        assertThat(fence.look(own, resource))
                .hasValueSatisfying(row ->
                        assertThat(row.claimedAt()).isEqualTo(claimed.row().claimedAt()));
    }

    @Test
    void repeatedClaimOfTheSameLeaseIsOursAndLeavesTheRowAlone() throws SQLException {
        Claimed first = claim(5, "a");

        Claimed again = claim(5, "a");
        Claimed durable = fence.claim(own, request("lock", 0, 5, "a"), true, WAIT);

        assertThat(again.status()).isEqualTo(Claimed.Status.OURS);
        assertThat(durable.status()).isEqualTo(Claimed.Status.OURS);
        assertThat(durable.row().claimedAt()).isEqualTo(first.row().claimedAt());
    }

    @Test
    void higherTokenTakesTheFenceAndLowerOneIsBehind() throws SQLException {
        claim(5, "a");

        assertThat(claim(6, "b").status()).isEqualTo(Claimed.Status.CLAIMED);
        Claimed late = claim(5, "a");
        assertThat(late.status()).isEqualTo(Claimed.Status.BEHIND);
        assertThat(late.row()).returns(6L, FenceRow::token).returns("b", FenceRow::leaseId);
    }

    @Test
    void generationGoesBeforeToken() throws SQLException {
        claim(500, "a");

        assertThat(fence.claim(own, request("lock", 1, 1, "b"), false, WAIT).status())
                .isEqualTo(Claimed.Status.CLAIMED);
        assertThat(claim(501, "c"))
                .returns(Claimed.Status.BEHIND, Claimed::status)
                .returns(1, claimed -> claimed.row().generation());
    }

    @Test
    void sameTokenOfAnotherLeaseIsADuplicate() throws SQLException {
        claim(5, "a");

        assertThat(claim(5, "b"))
                .returns(Claimed.Status.DUPLICATE, Claimed::status)
                .returns("a", claimed -> claimed.row().leaseId());
    }

    @Test
    void fenceOfAnotherLockIsNeverSettledByNumbers() throws SQLException {
        claim(5, "a");

        for (long token : new long[] {4, 5, 6}) {
            assertThat(fence.claim(own, request("renamed", 0, token, "b"), false, WAIT))
                    .returns(Claimed.Status.OTHER_LOCK, Claimed::status)
                    .returns("lock", claimed -> claimed.row().lock());
        }
        assertThat(fence.claim(own, request("renamed", 7, 1, "b"), false, WAIT).status())
                .isEqualTo(Claimed.Status.OTHER_LOCK);
    }

    @Test
    void writerIsBehindANewerReader() throws SQLException {
        claim(5, "a");
        execute(own, "UPDATE lockfence.fence SET read_token = 7 WHERE resource = '" + resource + "'");

        assertThat(claim(6, "b").status()).isEqualTo(Claimed.Status.BEHIND);
        assertThat(claim(7, "b").status()).isEqualTo(Claimed.Status.BEHIND);
        assertThat(refusalOfGuard(item(5, "a"))).isEqualTo(Refusal.STALE);
        assertThat(claim(8, "b").status()).isEqualTo(Claimed.Status.CLAIMED);
    }

    @Test
    void largestTokenIsClaimedAndOneThatOverflewIsAnError() throws SQLException {
        assertThat(claim(Long.MAX_VALUE, "a").row().token()).isEqualTo(Long.MAX_VALUE);
        assertThat(claim(Long.MAX_VALUE - 1, "b").status()).isEqualTo(Claimed.Status.BEHIND);

        assertThatThrownBy(() -> claim(Long.MIN_VALUE, "c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("above 0")
                .hasMessageContaining(Long.toString(Long.MIN_VALUE));
        assertThatThrownBy(() ->
                        execute(own, "SELECT lockfence.claim('r', 'l', 0, " + Long.MIN_VALUE + ", 'c', 'h', false, 0)"))
                .hasMessageContaining("a fencing token is above 0");
    }

    @Test
    void claimWaitsUntilTheGuardedTransactionEndsAndThenSeesItsWrite() throws Exception {
        for (int isolation :
                new int[] {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ}) {
            long token = 10L * isolation;
            claim(token, "a" + isolation);
            service.setTransactionIsolation(isolation);
            write(service, token);
            fence.guard(service, List.of(item(token, "a" + isolation)));

            assertThat(fence.claim(own, request("lock", 0, token + 1, "b"), false, 50)
                            .status())
                    .isEqualTo(Claimed.Status.BUSY);
            assertThat(fence.claim(own, request("lock", 0, token + 1, "b"), false, 0)
                            .status())
                    .isEqualTo(Claimed.Status.BUSY);
            Future<Claimed> claimed = other.submit(() -> claim(token + 1, "b" + isolation));
            awaitWaiterFor(pid(own));
            assertThat(claimed.isDone()).isFalse();
            service.commit();

            assertThat(claimed.get(10, TimeUnit.SECONDS).status()).isEqualTo(Claimed.Status.CLAIMED);
            assertThat(read(own)).isEqualTo(token);
        }
    }

    @Test
    void claimUnderASnapshotOfItsOwnIsRefusedByTheRoutine() throws SQLException {
        own.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);

        assertThatThrownBy(() -> claim(1, "a")).hasMessageContaining("READ COMMITTED");
    }

    @Test
    void durableClaimIsFlushedEvenIfItIsOnlyRepeated() throws SQLException {
        for (int i = 1; i <= 20; i++) {
            claim(2 * i, "a" + i);
            String before = string(own, "SELECT pg_current_wal_insert_lsn()");
            assertThat(fence.claim(own, request("lock", 0, 2 * i, "a" + i), true, WAIT)
                            .status())
                    .isEqualTo(Claimed.Status.OURS);
            assertThat(string(own, "SELECT pg_current_wal_flush_lsn() > '" + before + "'"))
                    .as("flushed past the asynchronous claim, round %d", i)
                    .isEqualTo("t");

            before = string(own, "SELECT pg_current_wal_insert_lsn()");
            fence.claim(own, request("lock", 0, 2 * i + 1, "b" + i), true, WAIT);
            assertThat(string(own, "SELECT pg_current_wal_flush_lsn() > '" + before + "'"))
                    .as("flushed past the new claim, round %d", i)
                    .isEqualTo("t");
        }
    }

    // Claims in the service's transaction.

    @Test
    void relockInOneTransactionTakesTheFenceThatItsOwnGuardKeeps() throws Exception {
        for (int isolation : new int[] {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_SERIALIZABLE}) {
            long token = 10L * isolation;
            String first = "a" + isolation;
            String second = "b" + isolation;
            claim(token, first);
            service.setTransactionIsolation(isolation);
            write(service, 1);
            fence.guardAtRelease(service, List.of(item(token, first)), 1000, 0);

            Claimed claimed = fence.claimInTransaction(service, request("lock", 0, token + 1, second), List.of(first));

            assertThat(claimed.status()).isEqualTo(Claimed.Status.CLAIMED);
            assertThat(fence.claimInTransaction(service, request("lock", 0, token + 1, second), List.of())
                            .status())
                    .isEqualTo(Claimed.Status.OURS);
            assertThat(fence.look(own, resource).orElseThrow().leaseId()).isEqualTo(first);
            write(service, token);
            fence.guardAndCommit(service, List.of(item(token + 1, second)));
            assertThat(read(own)).isEqualTo(token);
            assertThat(fence.look(own, resource).orElseThrow().leaseId()).isEqualTo(second);
        }
    }

    @Test
    void claimInATransactionSaysWhyItFailsAndLeavesTheTransactionUsable() throws SQLException {
        assertThat(inTransaction("lock", 5, "b", "a")).isEqualTo(Claimed.Status.NOT_HELD);
        service.rollback();
        claim(5, "a");
        assertThat(inTransaction("lock", 6, "b", "x", "y")).isEqualTo(Claimed.Status.NOT_HELD);
        assertThat(inTransaction("lock", 4, "b", "a")).isEqualTo(Claimed.Status.BEHIND);
        assertThat(inTransaction("lock", 5, "b", "a")).isEqualTo(Claimed.Status.DUPLICATE);
        assertThat(inTransaction("renamed", 6, "b", "a")).isEqualTo(Claimed.Status.OTHER_LOCK);
        assertThat(inTransaction("lock", 5, "a")).isEqualTo(Claimed.Status.OURS);
        write(service, 1);
        service.commit();
        assertThat(read(own)).isEqualTo(1);
    }

    @Test
    void claimInATransactionDoesNotWaitForAnother() throws Exception {
        claim(5, "a");
        try (Connection sibling = server.connect()) {
            sibling.setAutoCommit(false);
            fence.guard(sibling, List.of(item(5, "a")));
            assertThat(inTransaction("lock", 6, "b", "a")).isEqualTo(Claimed.Status.BUSY);
            service.rollback();
            sibling.rollback();
            sibling.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            fence.guard(sibling, List.of(item(5, "a")));
            assertThat(inTransaction("lock", 6, "b", "a")).isEqualTo(Claimed.Status.BUSY);
            sibling.rollback();
        }
        assertThat(inTransaction("lock", 6, "b", "a")).isEqualTo(Claimed.Status.CLAIMED);
    }

    @Test
    void claimInATransactionWithAnOldSnapshotSaysSo() throws SQLException {
        claim(5, "a");
        service.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        read(service);
        claim(6, "b");

        assertThat(inTransaction("lock", 7, "c", "a")).isEqualTo(Claimed.Status.OLD_SNAPSHOT);
        write(service, 1);
        service.commit();
    }

    // The guard at commit.

    @Test
    void guardOfTheHolderCommitsTogetherWithTheWrite() throws Exception {
        claim(5, "a");
        write(service, 1);

        assertThat(fence.guardAndCommit(service, List.of(item(5, "a")))).isEmpty();

        service.rollback();
        assertThat(read(own)).isEqualTo(1);
    }

    @Test
    void guardOfASupersededHolderKeepsItsWriteOutAndNamesTheNewHolder() throws Exception {
        claim(5, "a");
        write(service, 1);
        claim(6, "b");

        assertThatThrownBy(() -> fence.guardAndCommit(service, List.of(item(5, "a"))))
                .isInstanceOfSatisfying(GuardFailedException.class, e -> {
                    assertThat(e.finding())
                            .returns(Refusal.STALE, GuardFinding::refusal)
                            .returns(item(5, "a"), GuardFinding::item);
                    assertThat(e.finding().row())
                            .returns(6L, FenceRow::token)
                            .returns("b", FenceRow::leaseId)
                            .returns("lock", FenceRow::lock)
                            .returns("host/1/main", FenceRow::holder)
                            .returns(resource, FenceRow::resource);
                });

        service.rollback();
        assertThat(read(own)).isZero();
    }

    @Test
    void guardTellsWhatIsWrong() throws SQLException {
        assertThat(refusalOfGuard(item(5, "a"))).isEqualTo(Refusal.CLAIM_LOST);
        claim(5, "a");
        assertThat(refusalOfGuard(item(5, "b"))).isEqualTo(Refusal.DUPLICATE_TOKEN);
        assertThat(refusalOfGuard(item(6, "b"))).isEqualTo(Refusal.CLAIM_LOST);
        assertThat(refusalOfGuard(item(4, "b"))).isEqualTo(Refusal.STALE);
        assertThat(refusalOfGuard(new GuardItem(resource, "renamed", 0, 4, "b", true)))
                .isEqualTo(Refusal.OTHER_LOCK);
        assertThat(refusalOfGuard(new GuardItem(resource, "lock", 1, 1, "b", true)))
                .isEqualTo(Refusal.CLAIM_LOST);
    }

    @Test
    void guardThatIsNotEnforcedReportsAndLetsTheCommitThrough() throws Exception {
        claim(5, "a");
        claim(6, "b");
        String elsewhere = "elsewhere/" + UUID.randomUUID();
        write(service, 1);

        List<GuardFinding> findings = fence.guardAndCommit(
                service,
                List.of(
                        new GuardItem(resource, "lock", 0, 5, "a", false),
                        new GuardItem(elsewhere, "lock", 0, 5, "a", false),
                        new GuardItem(resource, "lock", 0, 6, "b", true)));

        assertThat(findings).hasSize(2);
        assertThat(findings)
                .anySatisfy(f -> assertThat(f)
                        .returns(Refusal.STALE, GuardFinding::refusal)
                        .returns("b", g -> g.row().leaseId())
                        .returns(resource, g -> g.item().resource()));
        assertThat(findings)
                .anySatisfy(f -> assertThat(f)
                        .returns(Refusal.CLAIM_LOST, GuardFinding::refusal)
                        .returns(null, GuardFinding::row)
                        .returns(elsewhere, g -> g.item().resource()));
        assertThat(read(own)).isEqualTo(1);
    }

    @Test
    void guardThatIsNotEnforcedDoesNotFailTheCommitByTheServicesLockTimeout() throws Exception {
        claim(5, "a");
        try (Connection claimer = openClaim(6, "b")) {
            execute(service, "SET LOCAL lock_timeout = '50ms'");
            write(service, 1);

            List<GuardFinding> findings =
                    fence.guardAndCommit(service, List.of(new GuardItem(resource, "lock", 0, 5, "a", false)));

            assertThat(findings).singleElement().returns(Refusal.UNKNOWN, GuardFinding::refusal);
            claimer.rollback();
        }
        assertThat(read(own)).isEqualTo(1);
    }

    @Test
    void guardThatTheServicesLockTimeoutCutsOffIsNoRefusal() throws Exception {
        claim(5, "a");
        try (Connection claimer = openClaim(6, "b")) {
            execute(service, "SET LOCAL lock_timeout = '50ms'");
            write(service, 1);

            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> fence.guardAndCommit(service, List.of(item(5, "a"))))
                    .returns("55P03", SQLException::getSQLState);
            claimer.rollback();
        }
    }

    @Test
    void guardWaitsForAClaimThatIsUnderWayAndThenSeesIt() throws Exception {
        claim(5, "a");
        try (Connection claimer = openClaim(6, "b")) {
            write(service, 1);
            Future<?> guard = other.submit(() -> fence.guardAndCommit(service, List.of(item(5, "a"))));
            awaitWaiterFor(pid(service));
            assertThat(guard.isDone()).isFalse();
            claimer.commit();

            assertThatThrownBy(() -> guard.get(10, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            GuardFailedException.class,
                            e -> assertThat(e.finding().refusal()).isEqualTo(Refusal.STALE));
        }
    }

    @Test
    void guardLooksAgainAfterASavepointHasUndoneTheFirst() throws Exception {
        claim(5, "a");
        write(service, 1);
        Savepoint savepoint = service.setSavepoint();
        fence.guard(service, List.of(item(5, "a")));
        service.rollback(savepoint);
        assertThat(claim(6, "b").status()).isEqualTo(Claimed.Status.CLAIMED);

        assertThatThrownBy(() -> fence.guardAndCommit(service, List.of(item(5, "a"))))
                .isInstanceOf(GuardFailedException.class);
    }

    @Test
    void rollbackToASavepointUndoesAClaimInTheTransaction() throws Exception {
        claim(5, "a");
        fence.guard(service, List.of(item(5, "a")));
        Savepoint savepoint = service.setSavepoint();
        assertThat(inTransaction("lock", 6, "b", "a")).isEqualTo(Claimed.Status.CLAIMED);
        service.rollback(savepoint);

        assertThat(refusalOfGuard(item(6, "b"))).isEqualTo(Refusal.CLAIM_LOST);
    }

    @Test
    void guardWorksUnderEveryIsolationLevel() throws Exception {
        long token = 1;
        for (String level : List.of("READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")) {
            for (String access : List.of("READ WRITE", "READ ONLY")) {
                claim(++token, "a" + token);
                execute(service, "SET TRANSACTION ISOLATION LEVEL " + level + " " + access);
                assertThat(fence.isolation(service)).isEqualTo(level.toLowerCase(java.util.Locale.ROOT));
                read(service);
                if (access.equals("READ WRITE")) {
                    write(service, token);
                }

                fence.guard(service, List.of(item(token, "a" + token)));
                fence.guardAndCommit(service, List.of(item(token, "a" + token)));

                if (access.equals("READ WRITE")) {
                    assertThat(read(own)).as(level).isEqualTo(token);
                }
            }
        }
    }

    @Test
    void guardRefusesASnapshotThatIsOlderThanAClaim() throws Exception {
        long token = 1;
        for (int isolation : new int[] {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
            service.setTransactionIsolation(isolation);
            for (String claimer : List.of("ours", "a newer one's", "the first of the resource")) {
                if (claimer.startsWith("the first")) {
                    execute(own, "DELETE FROM lockfence.fence WHERE resource = '" + resource + "'");
                } else {
                    claim(++token, "a" + token);
                }
                long guarded = claimer.startsWith("a newer") ? token : token + 1;
                read(service);
                write(service, token);
                claim(++token, "a" + token);

                assertThatThrownBy(() -> fence.guardAndCommit(service, List.of(item(guarded, "a" + guarded))))
                        .as(claimer)
                        .isInstanceOfSatisfying(
                                GuardFailedException.class,
                                e -> assertThat(e.finding().refusal()).isEqualTo(Refusal.UNGUARDABLE));
                service.rollback();
            }
        }
    }

    @Test
    void transactionThatBecameReadOnlyAfterItsWritesIsGuardedAllTheSame() throws Exception {
        claim(5, "a");
        execute(service, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        write(service, 1);
        execute(service, "SET TRANSACTION READ ONLY");
        fence.guard(service, List.of(item(5, "a")));
        service.rollback();

        execute(service, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        write(service, 1);
        claim(6, "b");
        execute(service, "SET TRANSACTION READ ONLY");
        assertThatThrownBy(() -> fence.guardAndCommit(service, List.of(item(5, "a"))))
                .isInstanceOfSatisfying(
                        GuardFailedException.class,
                        e -> assertThat(e.finding().refusal()).isEqualTo(Refusal.UNGUARDABLE));
    }

    @Test
    void repeatedDurableClaimDoesNotDisturbAStricterTransactionUnderWay() throws Exception {
        claim(5, "a");
        service.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        write(service, 1);
        fence.guard(service, List.of(item(5, "a")));

        assertThat(fence.claim(own, request("lock", 0, 5, "a"), true, 0).status())
                .isEqualTo(Claimed.Status.OURS);

        fence.guardAndCommit(service, List.of(item(5, "a")));
        assertThat(read(own)).isEqualTo(1);
    }

    @Test
    void serializationFailureOfTheServicesOwnPassesUnchanged() throws Exception {
        claim(5, "a");
        write(own, 1);
        execute(own, "INSERT INTO note VALUES ('" + resource + "-2', 1)");
        service.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        try (Connection rival = server.connect()) {
            rival.setAutoCommit(false);
            rival.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            for (Connection connection : List.of(service, rival)) {
                string(connection, "SELECT sum(value) FROM note WHERE id LIKE '" + resource + "%'");
            }
            write(service, 2);
            execute(rival, "UPDATE note SET value = 2 WHERE id = '" + resource + "-2'");
            rival.commit();
        }

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> fence.guardAndCommit(service, List.of(item(5, "a"))))
                .returns("40001", SQLException::getSQLState);
    }

    @Test
    void failureOfTheCommitItselfPassesUnchanged() throws Exception {
        execute(own, "CREATE TABLE IF NOT EXISTS once (id text UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        claim(5, "a");
        execute(service, "INSERT INTO once VALUES ('" + resource + "'), ('" + resource + "')");

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> fence.guardAndCommit(service, List.of(item(5, "a"))))
                .returns("23505", SQLException::getSQLState);
    }

    @Test
    void manyResourcesInOneTransactionAreKeptWithoutFillingTheLockTable() throws Exception {
        List<GuardItem> items = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            GuardItem item = new GuardItem(resource + '/' + i, "lock", 0, 5, "a", true);
            fence.claim(own, new ClaimRequest(item.resource(), "lock", 0, 5, "a", "host"), false, WAIT);
            items.add(item);
        }
        Collections.shuffle(items, new java.util.Random(1));
        write(service, 1);

        fence.guard(service, items);

        assertThat(string(own, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = " + pid(service)))
                .isEqualTo("0");
        GuardItem last = items.get(199);
        ClaimRequest newer = new ClaimRequest(last.resource(), "lock", 0, 6, "b", "host");
        assertThat(fence.claim(own, newer, false, 50).status()).isEqualTo(Claimed.Status.BUSY);
        fence.guardAndCommit(service, items);
        assertThat(fence.claim(own, newer, false, 50).status()).isEqualTo(Claimed.Status.CLAIMED);
        assertThatThrownBy(() -> fence.guardAndCommit(service, items))
                .isInstanceOfSatisfying(
                        GuardFailedException.class,
                        e -> assertThat(e.finding())
                                .returns(Refusal.STALE, GuardFinding::refusal)
                                .returns(last, GuardFinding::item));
    }

    @Test
    void guardOfAFewResourcesBurnsNoMultixacts() throws Exception {
        claim(5, "a");
        // The counter is read as it was at the last checkpoint.
        execute(own, "CHECKPOINT");
        String before = string(own, "SELECT next_multixact_id FROM pg_control_checkpoint()");
        try (Connection sibling = server.connect()) {
            sibling.setAutoCommit(false);
            fence.guard(service, List.of(item(5, "a")));
            fence.guard(sibling, List.of(item(5, "a")));
            assertThat(string(own, "SELECT xmax FROM lockfence.fence WHERE resource = '" + resource + "'"))
                    .isEqualTo("0");
        }
        execute(own, "CHECKPOINT");
        assertThat(string(own, "SELECT next_multixact_id FROM pg_control_checkpoint()"))
                .isEqualTo(before);
    }

    @Test
    void anyNameCanBeALock() throws Exception {
        for (String name : List.of(
                "{\"a\",b}\\ 'c' \n\t$1 ?",
                "NULL",
                "",
                "\u00fcn\u00efc\u00f6de \ud83d\ude80",
                "nul\0inside",
                "half\ud83d",
                "lockfence LF001 1 -",
                "x".repeat(10_000))) {
            String long_ = resource + name;
            ClaimRequest request = new ClaimRequest(long_, "lock " + name, 0, 5, "a", "host " + name);
            GuardItem item = new GuardItem(long_, "lock " + name, 0, 5, "a", true);

            assertThat(fence.claim(own, request, false, WAIT).status()).isEqualTo(Claimed.Status.CLAIMED);
            assertThat(fence.claim(own, request, false, WAIT).status()).isEqualTo(Claimed.Status.OURS);
            fence.guard(service, List.of(item));
            assertThat(fence.guardAtRelease(service, List.of(item), 0, 0))
                    .singleElement()
                    .returns(ReleaseGuard.Status.HELD, ReleaseGuard::status);
            assertThat(fence.claimInTransaction(service, request, List.of()).status())
                    .isEqualTo(Claimed.Status.OURS);
            service.rollback();
            assertThat(fence.look(own, long_))
                    .hasValueSatisfying(row -> assertThat(row.leaseId()).isEqualTo("a"));
            GuardItem stale = new GuardItem(long_, "lock " + name, 0, 4, "z", true);
            assertThat(refusalOfGuard(stale)).isEqualTo(Refusal.STALE);
        }
    }

    // The guard before the release.

    @Test
    void guardAtReleaseKeepsTheFenceUntilTheTransactionEnds() throws Exception {
        claim(5, "a");
        write(service, 1);

        List<ReleaseGuard> guards = fence.guardAtRelease(service, List.of(item(5, "a")), 1000, 60_000);

        assertThat(guards).singleElement().returns(ReleaseGuard.Status.HELD, ReleaseGuard::status);
        assertThat(fence.claim(own, request("lock", 0, 6, "b"), false, 50).status())
                .isEqualTo(Claimed.Status.BUSY);
        service.commit();
        assertThat(claim(6, "b").status()).isEqualTo(Claimed.Status.CLAIMED);
    }

    @Test
    void guardAtReleaseShortensTheIdleTimeoutOfThisTransactionAlone() throws Exception {
        claim(5, "a");
        String show = "SHOW idle_in_transaction_session_timeout";

        fence.guardAtRelease(service, List.of(item(5, "a")), 1000, 60_000);
        assertThat(string(service, show)).isEqualTo("1min");
        service.rollback();
        assertThat(string(service, show)).isEqualTo("0");

        for (String shorter : List.of("500ms", "30s")) {
            execute(service, "SET LOCAL idle_in_transaction_session_timeout = '" + shorter + "'");
            fence.guardAtRelease(service, List.of(item(5, "a")), 1000, 60_000);
            assertThat(string(service, show)).isEqualTo(shorter);
        }
        execute(service, "SET LOCAL idle_in_transaction_session_timeout = '1d'");
        fence.guardAtRelease(service, List.of(item(4, "z")), 1000, 60_000);
        assertThat(string(service, show)).isEqualTo("1d");
        fence.guardAtRelease(service, List.of(item(5, "a")), 1000, 60_000);
        assertThat(string(service, show)).isEqualTo("1min");
    }

    @Test
    void guardAtReleaseAnswersWhateverItFindsAndFailsNothing() throws Exception {
        claim(5, "a");
        for (int isolation :
                new int[] {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ}) {
            service.setTransactionIsolation(isolation);
            write(service, isolation);
            boolean strict = isolation == Connection.TRANSACTION_REPEATABLE_READ;
            List<ReleaseGuard> guards = fence.guardAtRelease(
                    service,
                    List.of(
                            item(4, "z"),
                            new GuardItem("missing", "lock", 0, 5, "a", true),
                            item(5, "a"),
                            item(5, "b"),
                            item(6, "b"),
                            new GuardItem(resource, "renamed", 0, 5, "b", true)),
                    0,
                    0);
            assertThat(guards)
                    .extracting(ReleaseGuard::status)
                    .containsExactly(
                            ReleaseGuard.Status.STALE,
                            strict ? ReleaseGuard.Status.OLD_SNAPSHOT : ReleaseGuard.Status.LOST,
                            ReleaseGuard.Status.HELD,
                            ReleaseGuard.Status.DUPLICATE,
                            ReleaseGuard.Status.LOST,
                            ReleaseGuard.Status.OTHER_LOCK);
            assertThat(guards.get(0).row().leaseId()).isEqualTo("a");
            service.commit();
            assertThat(read(own)).isEqualTo(isolation);
        }
        service.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        write(service, 7);
        claim(6, "b");
        assertThat(fence.guardAtRelease(service, List.of(item(5, "a")), 0, 0))
                .singleElement()
                .returns(ReleaseGuard.Status.OLD_SNAPSHOT, ReleaseGuard::status);
        service.commit();
    }

    @Test
    void guardAtReleaseGivesUpInTimeAndBeforeTheServicesStatementTimeout() throws Exception {
        claim(5, "a");
        try (Connection claimer = openClaim(6, "b")) {
            for (int isolation :
                    new int[] {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ}) {
                service.setTransactionIsolation(isolation);
                write(service, 1);
                long start = System.nanoTime();
                assertThat(fence.guardAtRelease(service, List.of(item(5, "a")), 300, 60_000))
                        .singleElement()
                        .returns(ReleaseGuard.Status.BUSY, ReleaseGuard::status);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(290));

                execute(service, "SET LOCAL statement_timeout = '2s'");
                assertThat(fence.guardAtRelease(service, List.of(item(5, "a")), 60_000, 60_000))
                        .singleElement()
                        .returns(ReleaseGuard.Status.BUSY, ReleaseGuard::status);
                service.commit();
            }
            Future<List<ReleaseGuard>> guard =
                    other.submit(() -> fence.guardAtRelease(service, List.of(item(5, "a")), 30_000, 60_000));
            claimer.rollback();
            assertThat(guard.get(10, TimeUnit.SECONDS))
                    .singleElement()
                    .returns(ReleaseGuard.Status.HELD, ReleaseGuard::status);
        }
    }

    // Snapshots.

    @Test
    void snapshotOfAnotherSessionOfTheSameUserIsSeen() throws Exception {
        int pid = pid(service);
        assertThat(fence.snapshotHeld(own, pid)).isFalse();
        write(service, 1);
        assertThat(fence.snapshotHeld(own, pid)).as("read committed").isFalse();
        service.rollback();

        service.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        fence.isolation(service);
        assertThat(fence.snapshotHeld(own, pid)).as("before the first query").isFalse();
        read(service);
        assertThat(fence.snapshotHeld(own, pid)).as("repeatable read").isTrue();
        assertThat(fence.snapshotHeld(own, 0)).as("no such session").isTrue();
    }

    // ---

    private Claimed claim(long token, String leaseId) throws SQLException {
        return fence.claim(own, request("lock", 0, token, leaseId), false, WAIT);
    }

    private Claimed.Status inTransaction(String lock, long token, String leaseId, String... previous)
            throws SQLException {
        return fence.claimInTransaction(service, request(lock, 0, token, leaseId), List.of(previous))
                .status();
    }

    private ClaimRequest request(String lock, int generation, long token, String leaseId) {
        return new ClaimRequest(resource, lock, generation, token, leaseId, "host/1/main");
    }

    private GuardItem item(long token, String leaseId) {
        return new GuardItem(resource, "lock", 0, token, leaseId, true);
    }

    private Refusal refusalOfGuard(GuardItem item) throws SQLException {
        GuardFailedException failed =
                catchThrowableOfType(GuardFailedException.class, () -> fence.guard(service, List.of(item)));
        service.rollback();
        assertThat(failed).as("the guard of %s let it through", item).isNotNull();
        return failed.finding().refusal();
    }

    /** A claim that has not committed yet. */
    private Connection openClaim(long token, String leaseId) throws SQLException {
        Connection claimer = server.connect();
        claimer.setAutoCommit(false);
        execute(
                claimer,
                "SELECT lockfence.claim('" + resource + "', 'lock', 0, " + token + ", '" + leaseId
                        + "', 'h', false, 0)");
        return claimer;
    }

    private void awaitWaiterFor(int pid) throws Exception {
        await(() -> {
            try (Connection watcher = server.connect()) {
                return "t".equals(string(watcher, "SELECT cardinality(pg_blocking_pids(" + pid + ")) > 0"));
            }
        });
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("waited for 30 s").isLessThan(deadline);
            Thread.sleep(5);
        }
    }

    private static int pid(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID();
    }

    private void write(Connection connection, long value) throws SQLException {
        execute(
                connection,
                "INSERT INTO note VALUES ('" + resource + "', " + value
                        + ") ON CONFLICT (id) DO UPDATE SET value = excluded.value");
    }

    private long read(Connection connection) throws SQLException {
        String value = string(connection, "SELECT max(value) FROM note WHERE id = '" + resource + "'");
        return value == null ? 0 : Long.parseLong(value);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String string(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
