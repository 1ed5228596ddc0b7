/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Golden texts: what a service's operator reads. */
class RefusalMessageTest {
    private static final Claimant NEWER = new Claimant(
            "order:42",
            0,
            1731,
            "0badcafe00000000000000000000f00d",
            "shop-2 pid 4711 thread worker-3",
            Instant.parse("2026-11-30T10:01:02.123456Z"),
            Duration.ofMillis(3_250));
    private static final String OURS =
            "Resource 'orders/42' of lock 'order:42': our token is 1729 (lease 7f3c9a12, 12.1 s old)";
    private static final String CALLERS = OURS.replace("our token", "the caller's token");
    private static final String THEIRS =
            "; the fence holds token 1731 (lease 0badcafe), claimed by shop-2 pid 4711 thread worker-3 at"
                    + " 2026-11-30T10:01:02.123Z, 3.2 s ago. ";

    record Golden(Refused refused, String message) {
        @Override
        public String toString() {
            return refused.reason() + (refused.shadow() ? " in shadow" : "") + (refused.repeated() ? " again" : "");
        }
    }

    static Stream<Golden> messages() {
        return Stream.of(
                new Golden(
                        refused(Reason.SUPERSEDED).of("commit", "orders-db").fence(NEWER),
                        "Lockfence refused this commit to orders-db (LF001, stale): a newer holder of the lock has claimed the"
                                + " resource. " + OURS + THEIRS
                                + "It was not applied. Take the lock again and redo the work from its first read."),
                new Golden(
                        refused(Reason.SUPERSEDED)
                                .of("commit", "orders-db")
                                .fence(NEWER)
                                .inShadow(),
                        "Lockfence would have refused this commit to orders-db (LF001, stale): a newer holder of the lock has"
                                + " claimed the resource. " + OURS + THEIRS
                                + "Take the lock again and redo the work from its first read."),
                new Golden(
                        refused(Reason.AHEAD)
                                .of("read", "orders-db")
                                .fence(NEWER)
                                .because("it holds nothing"),
                        "Lockfence refused this read to orders-db (LF001, stale): the resource was claimed with a higher token"
                                + " than ours before our first access, and the coordinator did not confirm that the lock is"
                                + " still ours: it holds nothing. " + OURS + THEIRS
                                + "It was not applied. Take the lock again and redo the work from its first read."),
                new Golden(
                        refused(Reason.AHEAD_LATER).of("write", "stock-db").fence(NEWER),
                        "Lockfence refused this write to stock-db (LF001, stale): this database, opened after the lease was"
                                + " first used, holds a higher token than ours: a newer holder has claimed it, or the"
                                + " coordinator has lost its counter (restart, failover, flush). " + OURS + THEIRS
                                + "It was not applied. Take the lock again and redo the work from its first read: a new lease"
                                + " takes a token above the fence."),
                new Golden(
                        refused(Reason.OLD_GENERATION)
                                .of("write", "orders-db")
                                .fence(new Claimant("order:42", 1, 3, "0badcafe", null, null, null)),
                        "Lockfence refused this write to orders-db (LF001, stale): an instance whose rules have a higher"
                                + " generation has claimed the resource. Resource 'orders/42' of lock 'order:42': our token"
                                + " is 1729 of generation 0 (lease 7f3c9a12, 12.1 s old); the fence holds token 3 of"
                                + " generation 1 (lease 0badcafe), claimed. It was not applied. Start this instance with the"
                                + " rules that have the raised generation."),
                new Golden(
                        refused(Reason.DEADLINE).of("write", "orders-db"),
                        "Lockfence refused this write to orders-db (LF002, expired): the lease has ended, 2.1 s ago. "
                                + OURS
                                + ". It was not applied. Take the lock again and redo the work from its first read. If the"
                                + " work needs longer than the lease, ask for a longer lease time, or for none so that the"
                                + " library renews it."),
                new Golden(
                        refused(Reason.LOST).of("write", null).because("the renewal found no hold"),
                        "Lockfence refused this write (LF002, expired): the coordinator said that the lock is no longer ours:"
                                + " the renewal found no hold. " + OURS
                                + ". It was not applied. Take the lock again and redo the work from its first read."),
                new Golden(
                        refused(Reason.IDLE_KILLED).of("commit", "orders-db"),
                        "Lockfence refused this commit to orders-db (LF002, expired): the lock was released in"
                                + " mid-transaction, and the database has ended that transaction after it was idle for longer"
                                + " than guardIdle. " + OURS
                                + ". It was not applied. Commit before the unlock, or sooner after it; guardIdle in the rules"
                                + " is the limit."),
                new Golden(
                        Refused.unleased("orders-db"),
                        "Lockfence refused this write to orders-db (LF003, unleased): it was sent under no lock, and the rules"
                                + " demand one (unleased: reject). It was not applied. Write under a lock that protects this"
                                + " target, or change 'unleased' of the target in the rules."),
                new Golden(
                        refused(Reason.NO_FENCE)
                                .of("read", "orders-db")
                                .because("relation \"lockfence.fence\" is absent"),
                        "Lockfence refused this read to orders-db (LF004, unknown): the database has no fence table, or not the"
                                + " routines of this version: relation \"lockfence.fence\" is absent. " + OURS
                                + ". It was not applied. Install the fence: run the SQL that 'java -jar lockfence.jar ddl"
                                + " --database postgresql' prints."),
                new Golden(
                        refused(Reason.NO_RIGHTS)
                                .of("read", "orders-db")
                                .because("permission denied for schema lockfence"),
                        "Lockfence refused this read to orders-db (LF004, unknown): the service's database user may not use the"
                                + " fence: permission denied for schema lockfence. " + OURS
                                + ". It was not applied. Grant the user USAGE on schema lockfence and EXECUTE on its"
                                + " routines, as the last lines of 'java -jar lockfence.jar ddl --database postgresql' show."),
                new Golden(
                        refused(Reason.DATABASE_FAILED).of("read", "orders-db").because("connection refused"),
                        "Lockfence refused this read to orders-db (LF004, unknown): the database could not say whether the lease"
                                + " still holds: connection refused. " + OURS
                                + ". It was not applied. See to the database; then take the lock again and redo the work from"
                                + " its first read."),
                new Golden(
                        refused(Reason.STANDBY).of("read", "orders-db"),
                        "Lockfence refused this read to orders-db (LF004, unknown): the database is a standby, where nothing"
                                + " can be claimed. " + OURS + ". It was not applied. Connect to the primary."),
                new Golden(
                        refused(Reason.CLAIM_WAITED).of("read", "orders-db").because("10.0 s"),
                        "Lockfence refused this read to orders-db (LF004, unknown): the claim waited too long for a transaction"
                                + " of an earlier holder to end: 10.0 s. " + OURS
                                + ". It was not applied. Find the transaction that stays open after its lock was released"
                                + " (pg_stat_activity: state 'idle in transaction'), or raise claimTimeout in the rules."),
                new Golden(
                        Refused.under(Reason.NO_TOKEN, lease(0))
                                .timed(12_150_000_000L, -1)
                                .of("write", "orders-db")
                                .because("Redis did not answer in 2 s"),
                        "Lockfence refused this write to orders-db (LF004, unknown): the coordinator gave no fencing token for"
                                + " this lease: Redis did not answer in 2 s. Resource 'orders/42' of lock 'order:42': our"
                                + " lease has no token (lease 7f3c9a12, 12.1 s old). It was not applied. See to the"
                                + " coordinator; then take the lock again."),
                new Golden(
                        refused(Reason.INACTIVE).of("write", "orders-db").because("RedissonMultiLock is not supported"),
                        "Lockfence refused this write to orders-db (LF004, unknown): locks of this kind cannot be fenced here:"
                                + " RedissonMultiLock is not supported. " + OURS
                                + ". It was not applied. Use a supported version or type of lock, or set 'mode: observe' for"
                                + " this lock in the rules."),
                new Golden(
                        refused(Reason.NOT_WOVEN).of("call", "plc").because("Plc#send(byte[]) is native"),
                        "Lockfence refused this call to plc (LF004, unknown): a method of this target is not woven, so that calls"
                                + " of it pass whether the lease lives or not: Plc#send(byte[]) is native. " + OURS
                                + ". It was not applied. Mend 'method' of the target in the rules: 'check --jar' shows what it"
                                + " matches."),
                new Golden(
                        refused(Reason.RELEASED).of("call", "plc"),
                        "Lockfence refused this call to plc (LF003, unleased): the lock that protects it was given back before, in"
                                + " the same work, and the rules demand that the work ends with it (afterRelease: reject). "
                                + OURS
                                + ". It was not applied. Do it before the unlock, or change 'afterRelease' of the target in the"
                                + " rules."),
                new Golden(
                        ofCaller(Reason.CALLER_BEHIND).of("request", "stock-in").fence(NEWER),
                        "Lockfence refused this request to stock-in (LF001, stale): the fence here holds a higher token than the caller's:"
                                + " a newer holder has claimed it, or the coordinator has lost its counter (restart, failover,"
                                + " flush). " + CALLERS + THEIRS
                                + "It was not applied. Take the lock again and redo the work from its first read."),
                new Golden(
                        ofCaller(Reason.LEAP).of("request", "stock-in").because("token 9 is more than 1 ahead of 5"),
                        "Lockfence refused this request to stock-in (LF004, unknown): the caller's token is too far ahead of what is"
                                + " known here, and may be forged: token 9 is more than 1 ahead of 5. " + CALLERS
                                + ". It was not applied. If the number is right, raise 'leap' of the rule under 'receive'; if not,"
                                + " find out who sends it."),
                new Golden(
                        refused(Reason.BOOKS).of("write", "orders-db").because("Lockfence failed on it: X"),
                        "Lockfence refused this write to orders-db (LF004, unknown): Lockfence has lost track of this lease:"
                                + " Lockfence failed on it: X. " + OURS
                                + ". It was not applied. Take the lock again, and report this with the log: it is a fault of"
                                + " Lockfence."),
                new Golden(
                        refused(Reason.TOKEN_TWICE)
                                .of("write", "orders-db")
                                .fence(new Claimant("order:42", 0, 1729, "0badcafe", "shop-2", null, null)),
                        "Lockfence refused this write to orders-db (LF005, duplicate token): the coordinator issued the same"
                                + " token to two leases. " + OURS
                                + "; the fence holds token 1729 (lease 0badcafe), claimed by shop-2. It was not applied. Find"
                                + " out why the coordinator's counter went back (restore, two masters); if it goes on, raise"
                                + " 'generation' in the lock's rule. Take the lock again and redo the work from its first"
                                + " read."),
                new Golden(
                        refused(Reason.OTHER_LOCK)
                                .of("read", "orders-db")
                                .fence(new Claimant("invoice:42", 0, 5, "0badcafe", "shop-2", null, null)),
                        "Lockfence refused this read to orders-db (LF006, other lock): the resource belongs to another lock,"
                                + " 'invoice:42', not to 'order:42'. " + OURS
                                + "; the fence holds token 5 (lease 0badcafe), claimed by shop-2. It was not applied. Give"
                                + " the two locks different resources in the rules."),
                new Golden(
                        refused(Reason.CLAIM_LOST).of("commit", "orders-db").because("there is no row"),
                        "Lockfence refused this commit to orders-db (LF007, claim lost): the database holds less than this"
                                + " lease has claimed: it has lost the claim (failover, restore): there is no row. "
                                + OURS
                                + ". It was not applied. Writes that this lease has committed may be lost as well: check"
                                + " them. Take the lock again and redo the work from its first read."),
                new Golden(
                        refused(Reason.OLD_SNAPSHOT).of("read", "orders-db").because("isolation REPEATABLE READ"),
                        "Lockfence refused this read to orders-db (LF008, unguardable): the transaction reads a snapshot from"
                                + " before the lock was claimed, so what it read may be stale: isolation REPEATABLE READ. "
                                + OURS
                                + ". It was not applied. Take the lock before the transaction's first statement, or"
                                + " use READ COMMITTED."),
                new Golden(
                        refused(Reason.OWN_TRANSACTION).of("read", "orders-db").because("connection 17 holds a guard"),
                        "Lockfence refused this read to orders-db (LF008, unguardable): it would wait for another open"
                                + " transaction of the same thread, for ever: connection 17 holds a guard. " + OURS
                                + ". It was not applied. Do not write under one lock in two transactions at once"
                                + " (REQUIRES_NEW): commit the first, or join it."),
                new Golden(
                        refused(Reason.PATH).of("write", "orders-db").because("PREPARE TRANSACTION is not supported"),
                        "Lockfence refused this write to orders-db (LF008, unguardable): PREPARE TRANSACTION is not supported. "
                                + OURS
                                + ". It was not applied. Use a way that the documentation lists, or keep it outside"
                                + " the lock."),
                new Golden(
                        refused(Reason.CLAIM_LOST).of("write", "orders-db").again(),
                        "Lockfence refused this write to orders-db (LF007, claim lost): its transaction was refused before and"
                                + " has been rolled back; until the service calls rollback(), close() or setAutoCommit(true)"
                                + " the connection takes nothing else. The first refusal: the database holds less than this"
                                + " lease has claimed: it has lost the claim (failover, restore). " + OURS
                                + ". It was not applied. Writes that this lease has committed may be lost as well: check"
                                + " them. Take the lock again and redo the work from its first read."));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void saysWhatHappenedAndWhatToDo(Golden golden) {
        assertThat(golden.refused().message()).isEqualTo(golden.message());
    }

    @Test
    void everyReasonHasAGoldenText() {
        Set<Reason> covered = EnumSet.noneOf(Reason.class);
        messages().forEach(golden -> covered.add(golden.refused().reason()));

        assertThat(covered).containsExactlyInAnyOrder(Reason.values());
    }

    @Test
    void everyKindHasAReason() {
        assertThat(Stream.of(Reason.values()).map(Reason::kind).distinct()).containsExactlyInAnyOrder(Refusal.values());
    }

    @Test
    void namesOfOthersCannotBreakTheLineOrFloodIt() {
        Lease hostile = new Lease(
                "a\nlockfence: all is well\u2028\u0007",
                "r".repeat(10_000),
                "7f3c",
                "owner",
                0,
                Long.MIN_VALUE,
                new Deadline(System.nanoTime(), 1_000_000_000L));

        String message = Refused.under(Reason.SUPERSEDED, hostile).message();

        assertThat(message)
                .contains("'a\\u000alockfence: all is well\\u2028\\u0007'", "-9223372036854775808")
                .doesNotContain("\n", "\u2028")
                .hasSizeLessThan(1000);
    }

    @Test
    void deadLeasesSayHowTheyDied() {
        record Case(Lease.Death death, long token, Reason reason) {}
        for (Case example : List.of(
                new Case(Lease.Death.STALE, 1, Reason.SUPERSEDED),
                new Case(Lease.Death.EXPIRED, 1, Reason.DEADLINE),
                new Case(Lease.Death.LOST, 1, Reason.LOST),
                new Case(Lease.Death.UNUSABLE, 0, Reason.NO_TOKEN),
                new Case(Lease.Death.UNUSABLE, 1, Reason.BOOKS))) {
            Lease lease = lease(example.token());
            lease.die(example.death(), "why");

            assertThat(Refused.dead(lease).reason()).as("%s", example).isEqualTo(example.reason());
        }
    }

    @Test
    void theExceptionCarriesKindResourceMessageAndCause() {
        Throwable cause = new IllegalStateException("cause");
        Refused refused = refused(Reason.NO_FENCE).causedBy(cause);

        FencedException exception = refused.exception();

        assertThat(exception).hasMessage(refused.message()).hasCause(cause);
        assertThat(exception.refusal()).isEqualTo(Refusal.UNKNOWN);
        assertThat(exception.resource()).isEqualTo("orders/42");
    }

    private static Refused refused(Reason reason) {
        return Refused.under(reason, lease(1729)).timed(12_150_000_000L, 2_140_000_000L);
    }

    private static Refused ofCaller(Reason reason) {
        Lease callers =
                new Lease(
                        "order:42",
                        "orders/42",
                        "7f3c9a12000000000000000000000001",
                        "caller",
                        0,
                        1729,
                        new Deadline(System.nanoTime(), 10_000_000_000L)) {
                    @Override
                    public boolean ofCaller() {
                        return true;
                    }
                };
        return Refused.under(reason, callers).timed(12_150_000_000L, -1);
    }

    private static Lease lease(long token) {
        return new Lease(
                "order:42",
                "orders/42",
                "7f3c9a12000000000000000000000001",
                "owner",
                0,
                token,
                new Deadline(System.nanoTime(), 10_000_000_000L));
    }
}
