/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.agent.config.RulesLoader;
import io.lockfence.agent.fence.postgresql.Servers;
import io.lockfence.agent.report.Log;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Incoming;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Reception;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.bootstrap.Units;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A lease that travels with a request, from the service that holds the lock to the one that writes: both agents are played in this JVM, against a real
 * server; HTTP is the string that one hands to the other.
 */
class TravellingTokenTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final String STOCK = "https://stock.internal/items/1";

    private static final String CALLER = """
            mode: enforce
            targets:
              - {name: stock, http: "https://stock.internal/**"}
            """;

    private static final String RECEIVER = """
            mode: enforce
            targets:
              - {name: db, jdbc: "**"}
            receive:
              - {name: items, path: "/items/**", trust: network, from: [127.0.0.0/8]}
            """;

    /** One of the two services, with its agent. */
    private final class Side {
        final Report report = new Report(Log.to("quiet"));
        final Protocol protocol;
        final Leases leases;
        final Transactions effects;

        Side(String rules) throws Exception {
            protocol = new Protocol(RulesLoader.parse(rules, "rules"), report);
            leases = protocol.leases();
            effects = protocol.transactions();
        }

        Lease lock(String owner) {
            return lock(owner, LONG);
        }

        Lease lock(String owner, Duration time) {
            return leases.acquired(lock.acquire(owner, time, true));
        }

        void unlock(String owner) {
            leases.releasing(order + "|" + owner);
            lock.lose();
        }

        /** What a request of the current thread carries. */
        String sends(String method) {
            return effects.requesting(LeaseContext.current(), method, STOCK);
        }

        Reception receives(String... lines) {
            return effects.receiving(request("PUT", "127.0.0.1", lines));
        }

        /** Handles a request as a server's integration does. */
        <T> T handles(Reception reception, Handling<T> handling) throws Exception {
            LeaseContext before = reception == null ? LeaseContext.beginUnit() : LeaseContext.beginUnit(reception);
            try {
                return handling.handle();
            } finally {
                Units.end(before, "a request");
            }
        }

        Service service() throws SQLException {
            return new Service(effects, url);
        }
    }

    private interface Handling<T> {
        T handle() throws Exception;
    }

    private final String url = Servers.NEWEST.url();
    private final String order = "travel-" + NUMBER.incrementAndGet();
    private final FakeCoordinator lock = new FakeCoordinator(order, 100);
    private int before;
    private Side caller;
    private Side receiver;

    @BeforeEach
    void twoServices() throws Exception {
        before = LeaseContext.active();
        caller = new Side(CALLER);
        receiver = new Side(RECEIVER);
        onServer("INSERT INTO note VALUES ('" + order + "', 0)");
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(caller.leases.live()).as("leases left at the caller").isZero();
        assertThat(receiver.effects.open())
                .as("transactions left at the receiver")
                .isZero();
        // What the test has given back is kept until its unit of work ends.
        assertThat(LeaseContext.endUnit(null)).as("leases left on the thread").isNull();
        assertThat(LeaseContext.active())
                .as("what keeps woven calls from being idle")
                .isEqualTo(before);
    }

    private static Incoming request(String method, String peer, String... lines) {
        return new Incoming() {
            @Override
            public String method() {
                return method;
            }

            @Override
            public String path() {
                return "/items/1";
            }

            @Override
            public List<String> header(String name) {
                return name.equals(Effects.HEADER) ? Arrays.asList(lines) : List.of();
            }

            @Override
            public String peer() {
                return peer;
            }
        };
    }

    private String onServer(String sql) throws SQLException {
        return Servers.ask(url, sql);
    }

    private String fence() throws SQLException {
        return onServer("SELECT token || ' ' || lease_id FROM lockfence.fence WHERE resource = '" + order + "'");
    }

    private String read() {
        return "SELECT value FROM note WHERE id = '" + order + "'";
    }

    private String write(int value) {
        return "UPDATE note SET value = " + value + " WHERE id = '" + order + "'";
    }

    private static <T> T elsewhere(Handling<T> handling) throws Exception {
        return CompletableFuture.supplyAsync(() -> {
                    try {
                        return handling.handle();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    } finally {
                        LeaseContext.endUnit(null);
                    }
                })
                .get(30, TimeUnit.SECONDS);
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("nanoseconds late").isNegative();
            Thread.onSpinWait();
        }
    }

    private static void assertRefused(Refusal refusal, org.assertj.core.api.ThrowableAssert.ThrowingCallable request) {
        assertThatThrownBy(request)
                .isInstanceOfSatisfying(
                        FencedException.class, e -> assertThat(e.refusal()).isEqualTo(refusal));
    }

    private static String text(Answer answer) {
        return answer.status() + " " + answer.contentType() + " " + new String(answer.body(), StandardCharsets.UTF_8);
    }

    private String header(long token, String leaseId) {
        return "\"" + order + "\";lock=\"" + order + "\";token=\"" + token + "\";gen=0;lease=\"" + leaseId + "\"";
    }

    @Test
    void aRequestUnderNoLeaseIsToldThatItNeedsOneWhereTheDatabaseRequiresIt() throws Exception {
        Side strict = new Side(RECEIVER.replace("\"**\"}", "\"**\", unleased: reject}"));
        Reception reception = strict.receives();
        assertThat(reception.answer()).isNull();
        assertThat(reception.leases()).isEmpty();
        assertThat(reception.instead(500)).as("nothing was refused yet").isNull();
        Reception other = strict.receives();
        try (Service service = strict.service()) {
            strict.handles(reception, () -> {
                assertThatThrownBy(() -> service.execute(write(1)))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("LF003"));
                return null;
            });
        }
        assertThat(text(reception.instead(500)))
                .startsWith("428 application/problem+json ")
                .contains("\"LF003\"");
        assertThat(reception.instead(200))
                .as("what the handler could do without")
                .isNull();
        assertThat(other.instead(500)).as("another request's").isNull();
        assertThat(onServer(read())).isEqualTo("0");
        // Where nothing is refused for that, nothing is to be looked at.
        assertThat(receiver.receives()).isNull();
        Side shadow = new Side(
                RECEIVER.replace("mode: enforce", "mode: shadow").replace("\"**\"}", "\"**\", unleased: reject}"));
        assertThat(shadow.receives()).isNull();
        // The rules of both count as long as their agents live.
        LeaseContext.deactivate();
        LeaseContext.deactivate();
    }

    @Test
    void aRequestCarriesTheTokenOfItsLease() {
        Lease lease = caller.lock("a");
        assertThat(caller.effects.concerned(LeaseContext.current())).isTrue();
        assertThat(caller.sends("PUT")).isEqualTo(header(lease.token(), lease.leaseId()));
        assertThat(caller.sends("GET")).isEqualTo(header(lease.token(), lease.leaseId()));
        caller.unlock("a");
    }

    @Test
    void hostsThatNoRuleNamesGetNothing() {
        caller.lock("a");
        assertThat(caller.effects.requesting(LeaseContext.current(), "PUT", "https://stock.internal.evil.example/"))
                .isNull();
        assertThat(caller.effects.requesting(
                        LeaseContext.current(), "PUT", "https://evil.example/https://stock.internal/"))
                .isNull();
        caller.unlock("a");
        LeaseContext.endUnit(null);
        assertThat(caller.effects.concerned(LeaseContext.current())).isFalse();
    }

    @Test
    void afterTheDeadlineARequestIsRefusedAndAReadIsJudgedByTheReceiver() {
        Lease lease = caller.lock("a", Duration.ofMillis(150));
        Lease[] under = LeaseContext.current();
        await(() -> lease.death() != null);
        assertRefused(Refusal.EXPIRED, () -> caller.effects.requesting(under, "PUT", STOCK));
        assertThat(caller.effects.requesting(under, "GET", STOCK)).isEqualTo(header(lease.token(), lease.leaseId()));
        caller.unlock("a");
    }

    @Test
    void twoLeasesMakeTwoItems() throws Exception {
        Lease one = caller.lock("a");
        FakeCoordinator second = new FakeCoordinator(order + "-b", 7);
        Acquisition acquisition = second.acquire("a", LONG);
        Lease two = caller.leases.acquired(acquisition);
        assertThat(caller.sends("PUT"))
                .isEqualTo(header(one.token(), one.leaseId()) + ", \"" + order + "-b\";lock=\"" + order
                        + "-b\";token=\"8\";gen=0;lease=\"" + two.leaseId() + "\"");
        caller.leases.releasing(acquisition.owner());
        caller.unlock("a");
    }

    @Test
    void aRequestClaimsWhatTheCallerHasOpenBeforeItLeaves() throws Exception {
        try (Service own = caller.service()) {
            // No target of the caller's rules but HTTP, so that nothing is claimed...
            Lease lease = caller.lock("a");
            caller.sends("PUT");
            assertThat(fence()).isNull();
            caller.unlock("a");
        }
        caller = new Side(CALLER + "  - {name: db, jdbc: \"**\"}\n");
        try (Service own = caller.service()) {
            Lease lease = caller.lock("b");
            caller.sends("PUT");
            assertThat(fence()).isEqualTo(lease.token() + " " + lease.leaseId());
            caller.unlock("b");
        }
    }

    @Test
    void aDatabaseThatIsOpenedAfterARequestIsNeverAReasonForAHigherToken() throws Exception {
        caller = new Side(CALLER + "  - {name: db, jdbc: \"**\"}\n");
        elsewhere(() -> {
            try (Service other = receiver.service()) {
                Reception reception = receiver.receives(header(500, "other"));
                return receiver.handles(reception, () -> other.query(read()));
            }
        });
        Lease lease = caller.lock("a");
        caller.sends("PUT");
        try (Service own = caller.service()) {
            assertThatThrownBy(() -> own.query(read()))
                    .isExactlyInstanceOf(SQLNonTransientException.class)
                    .hasMessageContaining("lost its counter");
        }
        assertThat(lease.token()).isEqualTo(101);
        caller.unlock("a");
    }

    @Test
    void theReceiverReadsAndWritesUnderTheCallersLease() throws Exception {
        Lease lease = caller.lock("a");
        String header = caller.sends("PUT");
        try (Service service = receiver.service().inTransactions()) {
            Reception reception = receiver.receives(header);
            assertThat(reception.answer()).isNull();
            receiver.handles(reception, () -> {
                assertThat(service.query(read())).isEqualTo("0");
                service.execute(write(1));
                service.commit();
                return null;
            });
            assertThat(reception.instead(500)).as("nothing was refused").isNull();
        }
        assertThat(fence()).isEqualTo(lease.token() + " " + lease.leaseId());
        assertThat(onServer(read())).isEqualTo("1");
        caller.unlock("a");
    }

    @Test
    void theLateRequestOfASupersededCallerIsAnsweredBeforeItIsHandled() throws Exception {
        try (Service service = receiver.service()) {
            Lease first = caller.lock("a");
            String late = caller.sends("PUT");
            lock.lose();
            elsewhere(() -> {
                caller.lock("b");
                Reception reception = receiver.receives(caller.sends("GET"));
                receiver.handles(reception, () -> service.query(read()));
                caller.unlock("b");
                return null;
            });
            Reception reception = receiver.receives(late);
            assertThat(text(reception.answer()))
                    .startsWith("412 application/problem+json {")
                    .contains(
                            "\"refusal\":\"LF001\"",
                            "\"resource\":\"" + order + "\"",
                            "the caller's token is " + first.token());
            assertThat(text(receiver.receives(late).answer())).startsWith("412 ");
            caller.unlock("a");
        }
    }

    @Test
    void aRefusalAtTheCommitTakesThePlaceOfTheHandlersOwnError() throws Exception {
        try (Service service = receiver.service().inTransactions();
                Service next = receiver.service()) {
            caller.lock("a");
            Reception reception = receiver.receives(caller.sends("PUT"));
            receiver.handles(reception, () -> service.query(read()));
            lock.lose();
            elsewhere(() -> {
                caller.lock("b");
                receiver.handles(receiver.receives(caller.sends("GET")), () -> next.query(read()));
                caller.unlock("b");
                return null;
            });
            receiver.handles(reception, () -> {
                service.execute(write(1));
                assertThatThrownBy(service::commit).isExactlyInstanceOf(SQLNonTransientException.class);
                service.rollback();
                return null;
            });
            assertThat(reception.instead(200)).isNull();
            assertThat(reception.instead(409)).isNull();
            assertThat(text(reception.instead(500))).startsWith("412 ").contains("LF001");
            caller.unlock("a");
        }
        assertThat(onServer(read())).isEqualTo("0");
    }

    @Test
    void requestsUnderOneLeaseClaimOnce() throws Exception {
        try (Service service = receiver.service()) {
            caller.lock("a");
            for (int i = 0; i < 5; i++) {
                receiver.handles(receiver.receives(caller.sends("GET")), () -> service.query(read()));
            }
            assertThat(io.lockfence.agent.report.Counters.sum(
                            receiver.report.counters().claims()))
                    .isEqualTo(1);
            caller.unlock("a");
        }
    }

    @Test
    void whatIsBelievedDependsOnTheRule() throws Exception {
        String good = header(5, "abc");
        assertThat(receiver.receives()).as("no token, none required").isNull();
        assertThat(receiver.receives(good).leases()).hasSize(1);
        assertThat(text(receiver.effects
                        .receiving(request("PUT", "192.0.2.7", good))
                        .answer()))
                .startsWith("403 ");
        assertThat(text(receiver.receives("\"" + order + "\";token=5").answer()))
                .startsWith("400 ");
        assertThat(text(receiver.receives(good, good).answer())).startsWith("400 ");

        assertThat(receiver.effects.mustReceive(request("PUT", "127.0.0.1", good)))
                .isTrue();

        receiver = new Side(RECEIVER.replace("trust: network, from: [127.0.0.0/8]", "trust: none"));
        assertThat(receiver.receives(good)).as("nobody is believed").isNull();
        assertThat(receiver.effects.mustReceive(request("PUT", "127.0.0.1", good)))
                .isFalse();

        receiver = new Side(RECEIVER.replace("trust:", "require: true, trust:"));
        assertThat(text(receiver.receives().answer())).startsWith("428 ").contains("LF003");
        assertThat(text(receiver.receives("").answer())).startsWith("428 ");

        receiver = new Side(RECEIVER.replace("enforce", "shadow").replace("trust:", "require: true, trust:"));
        assertThat(receiver.receives()).as("only reported").isNull();
        assertThat(receiver.receives("\"x\"")).as("only reported").isNull();
        assertThat(receiver.effects.mustReceive(request("PUT", "127.0.0.1", good)))
                .isFalse();
        assertThat(receiver.report.rejectedRequests()).isEqualTo(1);
        assertThat(receiver.report.counters().wouldHaveRefused()).containsOnlyKeys(Refusal.UNLEASED);
    }

    @Test
    void aTokenThatLeapsLocksNobodyOut() throws Exception {
        try (Service service = receiver.service()) {
            caller.lock("a");
            receiver.handles(receiver.receives(caller.sends("GET")), () -> service.query(read()));
            assertThat(text(receiver.receives(header(Long.MAX_VALUE, "forged")).answer()))
                    .startsWith("403 ")
                    .contains("leap");
            assertThat(text(receiver.receives(header(101 + 2_000_000_000_000L, "forged"))
                            .answer()))
                    .startsWith("403 ");
            assertThat(text(receiver.receives(header(5, "forged").replace("gen=0", "gen=2147483647"))
                            .answer()))
                    .startsWith("403 ");
            receiver.handles(receiver.receives(caller.sends("GET")), () -> service.query(read()));
            assertThat(receiver.report.rejectedRequests()).isEqualTo(3);
            caller.unlock("a");
        }
    }

    @Test
    void numbersOfAClockMayBeAheadOfAFenceThatIsOld() throws Exception {
        try (Service service = receiver.service()) {
            long now = System.currentTimeMillis() * 1_000;
            long old = now - Duration.ofDays(400).toMillis() * 1_000;
            receiver.handles(receiver.receives(header(old, "old")), () -> service.query(read()));
            assertThat(receiver.receives(header(now, "new")).answer()).isNull();
            assertThat(text(receiver.receives(header(now + Duration.ofDays(30).toMillis() * 1_000, "far"))
                            .answer()))
                    .startsWith("403 ");
        }
    }

    @Test
    void aRuleThatNamesAFenceClaimsThereWithEveryRequest() throws Exception {
        receiver = new Side(RECEIVER.replace("trust:", "fence: db, trust:"));
        assertThat(text(receiver.receives(header(5, "abc")).answer()))
                .as("nothing is open there")
                .startsWith("503 ")
                .contains("has not opened");
        try (Service service = receiver.service()) {
            assertThat(receiver.receives(header(5, "abc")).answer()).isNull();
            assertThat(fence()).isEqualTo("5 abc");
            onServer("UPDATE lockfence.fence SET token = 6, lease_id = 'next' WHERE resource = '" + order + "'");
            assertThat(text(receiver.receives(header(5, "abc")).answer()))
                    .as("the next holder has claimed meanwhile")
                    .startsWith("412 ");
        }
    }

    @Test
    void theTokenGoesOnToTheNextService() throws Exception {
        String came = header(5, "abc");
        Side middle = new Side("""
                mode: enforce
                targets:
                  - {name: stock, http: "https://stock.internal/**"}
                receive:
                  - {name: items, path: "/items/**", trust: network, from: [127.0.0.0/8]}
                """);
        assertThat(middle.handles(middle.receives(came), () -> middle.sends("PUT")))
                .isEqualTo(came);
    }

    @Test
    void onlyASignedTokenIsBelievedWhereTheRuleSaysSo() throws Exception {
        // The environment of this JVM has one variable that is long enough in every build: its path.
        String key = System.getenv("PATH").length() >= 32 ? "PATH" : "CLASSPATH";
        caller = new Side(CALLER.replace("**\"}", "**\", key: " + key + "}"));
        receiver =
                new Side(RECEIVER.replace("trust: network, from: [127.0.0.0/8]", "trust: signed, keys: [" + key + "]"));
        Lease lease = caller.lock("a");
        String signed = caller.sends("PUT");
        assertThat(signed).startsWith(header(lease.token(), lease.leaseId()) + ";sig=:");
        assertThat(receiver.receives(signed).answer()).isNull();
        assertThat(text(receiver.receives(header(lease.token(), lease.leaseId()))
                        .answer()))
                .startsWith("403 ");
        assertThat(text(receiver.receives(signed.replace("token=\"" + lease.token(), "token=\"" + (lease.token() + 1)))
                        .answer()))
                .startsWith("403 ");
        caller.unlock("a");
    }

    @Test
    void workThatOutlivesItsLeaseIsCarriedReportedOrRefused() throws Exception {
        Lease lease = caller.lock("a");
        Lease[] inherited = LeaseContext.current();
        caller.unlock("a");
        assertThat(caller.effects.requesting(inherited, "PUT", STOCK))
                .as("report")
                .isEqualTo(header(lease.token(), lease.leaseId()));
        assertThat(caller.report.counters().unleased()).isEqualTo(1);

        caller = new Side(CALLER.replace("**\"}", "**\", afterRelease: reject}"));
        caller.lock("a");
        Lease[] second = LeaseContext.current();
        caller.unlock("a");
        assertRefused(Refusal.UNLEASED, () -> caller.effects.requesting(second, "PUT", STOCK));
        assertThat(caller.effects.requesting(second, "GET", STOCK)).isNotNull();

        caller = new Side(CALLER.replace("**\"}", "**\", afterRelease: allow}"));
        caller.lock("a");
        Lease[] third = LeaseContext.current();
        caller.unlock("a");
        assertThat(caller.effects.requesting(third, "PUT", STOCK)).isNull();
    }

    @Test
    void aTaskThatOutlivesItsLeaseIsStillJudgedByTheFence() throws Exception {
        Side side = new Side("{mode: enforce, targets: [{name: db, jdbc: \"**\"}]}");
        try (Service service = side.service()) {
            side.lock("a");
            Lease[] inherited = LeaseContext.current();
            service.query(read());
            side.unlock("a");
            LeaseContext unit = LeaseContext.beginUnit(inherited);
            service.execute(write(1));
            assertThat(side.report.counters().unleased()).isEqualTo(1);
            Units.end(unit, "a task");
            elsewhere(() -> {
                side.lock("b");
                service.query(read());
                side.unlock("b");
                return null;
            });
            LeaseContext late = LeaseContext.beginUnit(inherited);
            assertThatThrownBy(() -> service.execute(write(2)))
                    .isExactlyInstanceOf(SQLNonTransientException.class)
                    .hasMessageContaining("newer holder");
            Units.end(late, "a task");
        }
        assertThat(onServer(read())).isEqualTo("1");
    }

    @Test
    void requestsUnderNoLeaseAreLookedAtWhereARuleSaysSo() throws Exception {
        caller = new Side(CALLER.replace("**\"}", "**\", unleased: reject}"));
        assertThat(caller.effects.concerned(LeaseContext.current())).isTrue();
        assertRefused(Refusal.UNLEASED, () -> caller.sends("POST"));
        assertThat(caller.sends("GET")).isNull();
        caller.protocol.change(RulesLoader.parse(CALLER, "rules"));
    }

    @Test
    void inObserveModeNothingTravelsAndInShadowModeNothingIsRefused() throws Exception {
        caller = new Side(CALLER.replace("enforce", "observe"));
        caller.lock("a");
        assertThat(caller.sends("PUT")).isNull();
        caller.unlock("a");

        caller = new Side(CALLER.replace("enforce", "shadow"));
        Lease lease = caller.lock("a", Duration.ofMillis(150));
        await(() -> lease.death() != null);
        assertThat(caller.sends("PUT")).isEqualTo(header(lease.token(), lease.leaseId()));
        assertThat(caller.report.counters().wouldHaveRefused()).containsEntry(Refusal.EXPIRED, 1L);
        caller.unlock("a");
    }

    /** A lock without numbers: the first claim issues its token. */
    private Lease lockWithoutNumbers(Side side) {
        Acquisition with = lock.acquire("a", LONG, true);
        Proof proof = with.proof();
        return side.leases.acquired(new Acquisition(
                with.library(),
                with.lock(),
                with.owner(),
                with.context(),
                true,
                new Proof(proof.sentAt(), true, 0, proof.timeLeftNanos(), 1),
                null,
                true,
                new Coordinator() {
                    @Override
                    public CompletionStage<Proof> ask() {
                        return CompletableFuture.completedFuture(Proof.notHeld(System.nanoTime()));
                    }

                    @Override
                    public CompletionStage<Proof> raiseAbove(long token) {
                        return CompletableFuture.failedFuture(new UnsupportedOperationException());
                    }

                    @Override
                    public boolean mints() {
                        return false;
                    }
                }));
    }

    @Test
    void nothingIsSentUnderALeaseThatHasNoToken() throws Exception {
        caller = new Side(CALLER + "  - {name: db, jdbc: \"**\"}\n");
        lockWithoutNumbers(caller);
        for (String method : List.of("GET", "PUT", "PUT", "GET")) {
            assertRefused(Refusal.UNKNOWN, () -> caller.sends(method));
        }
        try (Service own = caller.service()) {
            assertThat(caller.sends("PUT")).as("the database has issued one").contains("token=");
        }
        caller.unlock("a");
    }

    @Test
    void aLeaseThatWasGivenBackGetsNoHigherNumberThoughItsOwnerHasTheLockAgain() throws Exception {
        caller = new Side(CALLER + "  - {name: db, jdbc: \"**\"}\n");
        try (Service own = caller.service()) {
            caller.lock("a");
            Lease[] outlived = LeaseContext.current();
            caller.unlock("a");
            Lease now = caller.lock("a");
            own.query(read());
            assertRefused(Refusal.STALE, () -> caller.effects.requesting(outlived, "PUT", STOCK));
            assertThat(fence()).isEqualTo(now.token() + " " + now.leaseId());
            own.execute(write(1));
            caller.unlock("a");
        }
    }

    @Test
    void aLeaseThatWasGivenBackIsNotHiddenBehindAnother() throws Exception {
        caller = new Side(CALLER.replace("**\"}", "**\", afterRelease: reject}"));
        caller.lock("a");
        Lease[] outlived = LeaseContext.current();
        caller.unlock("a");
        FakeCoordinator second = new FakeCoordinator(order + "-b", 7);
        Acquisition acquisition = second.acquire("a", LONG);
        Lease other = caller.leases.acquired(acquisition);
        assertRefused(
                Refusal.UNLEASED, () -> caller.effects.requesting(new Lease[] {outlived[0], other}, "PUT", STOCK));
        caller.leases.releasing(acquisition.owner());

        caller = new Side(CALLER);
        caller.lock("a");
        Lease[] before = LeaseContext.current();
        caller.unlock("a");
        Lease again = caller.lock("a");
        assertRefused(Refusal.STALE, () -> caller.effects.requesting(new Lease[] {before[0], again}, "PUT", STOCK));
        assertThat(caller.effects.requesting(new Lease[] {before[0], again}, "GET", STOCK))
                .isEqualTo(header(again.token(), again.leaseId()));
        caller.unlock("a");
    }

    @Test
    void workThatHasOutlivedALeaseIsKnownOnWhateverThreadItsRequestIsSent() throws Exception {
        caller = new Side(CALLER.replace("**\"}", "**\", afterRelease: reject}"));
        caller.lock("a");
        caller.unlock("a");
        assertThat(caller.effects.concerned(LeaseContext.current())).isTrue();
        Lease[] under = caller.effects.carried(LeaseContext.current());
        elsewhere(() -> {
            assertRefused(Refusal.UNLEASED, () -> caller.effects.requesting(under, "PUT", STOCK));
            assertThat(caller.effects.requesting(under, "GET", STOCK)).isNull();
            return null;
        });
    }

    @Test
    void aForgedTokenThatIsOnlyReportedIsNotClaimedByTheNextRequest() throws Exception {
        receiver = new Side(RECEIVER.replace("enforce", "shadow").replace("trust:", "fence: db, trust:"));
        try (Service service = receiver.service()) {
            for (int i = 0; i < 3; i++) {
                Reception reception = receiver.receives(header(Long.MAX_VALUE, "forged"));
                receiver.handles(reception, () -> service.query(read()));
            }
        }
        assertThat(fence()).isNull();
    }

    @Test
    void whatCouldNotBeClaimedWithTheRestIsNotClaimedLater() throws Exception {
        String empty = Servers.NEWEST.emptyDatabase("travel_" + NUMBER.incrementAndGet());
        try (Service service = receiver.service();
                Service other = new Service(receiver.effects, empty)) {
            Reception reception = receiver.receives(header(5, "abc"));
            assertThat(reception.answer()).as("the handler may not need it").isNull();
            receiver.handles(reception, () -> service.query(read()));
            assertThatThrownBy(() -> receiver.handles(reception, () -> {
                        other.execute("CREATE TABLE t (i int)");
                        return null;
                    }))
                    .isExactlyInstanceOf(SQLNonTransientException.class)
                    .hasMessageContaining("LF004");
        }
    }

    @Test
    void aFenceIsClaimedThoughNoConnectionOfTheServiceIsOpenNow() throws Exception {
        receiver = new Side(RECEIVER.replace("trust:", "fence: db, trust:"));
        receiver.service().close();
        assertThat(receiver.receives(header(5, "abc")).answer()).isNull();
        assertThat(fence()).isEqualTo("5 abc");
    }

    @Test
    void aRefusalIsTheAnswerOfItsOwnRequestAlone() throws Exception {
        try (Service service = receiver.service().inTransactions()) {
            Reception one = receiver.receives(header(5, "abc"));
            Reception other = receiver.receives(header(5, "abc"));
            receiver.handles(one, () -> service.query(read()));
            onServer("UPDATE lockfence.fence SET token = 6, lease_id = 'next' WHERE resource = '" + order + "'");
            receiver.handles(one, () -> {
                service.execute(write(1));
                assertThatThrownBy(service::commit).isExactlyInstanceOf(SQLNonTransientException.class);
                service.rollback();
                return null;
            });
            assertThat(one.instead(500)).isNotNull();
            assertThat(other.instead(500)).isNull();
            assertThat(text(receiver.receives(header(5, "abc")).answer()))
                    .as("the lease is dead for later requests")
                    .startsWith("412 ");
        }
    }

    @Test
    void inShadowModeMoreLeasesThanAHeaderHoldsRefuseNothing() throws Exception {
        caller = new Side(CALLER.replace("enforce", "shadow"));
        List<String> owners = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Acquisition acquisition = new FakeCoordinator(order + "-" + i, i).acquire("a", LONG);
            caller.leases.acquired(acquisition);
            owners.add(acquisition.owner());
        }
        assertThat(caller.sends("PUT")).isNull();
        assertThat(caller.report.counters().wouldHaveRefused()).containsKey(Refusal.UNGUARDABLE);
        owners.forEach(caller.leases::releasing);
    }
}
