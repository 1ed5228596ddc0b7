/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import io.lockfence.instrumentation.consul.Kept;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What services do with keys and sessions beyond the contract. */
@Timeout(60)
class WaysOfLockingTest extends ConsulTestBase {
    private static final String LONG = "90s";

    private static ConsulKind kind;
    private static ServiceClient a;
    private static ServiceClient b;

    private final String key = "ways/" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        kind = new ConsulKind();
        a = kind.client(0);
        b = kind.client(1);
    }

    @AfterAll
    static void stop() {
        kind.close();
    }

    private String shown() {
        return kind.server().key(key);
    }

    @Test
    void theTokenIsTheModifyIndexOfTheAcquisitionWhateverIsWrittenAfterwards() throws Exception {
        String session = a.createSession(LONG);
        assertThat(a.acquire(key, session, "1")).isTrue();
        Lease lease = here().get(0);
        assertThat(lease.token()).isEqualTo(number(shown(), "ModifyIndex"));

        b.put(key, "by a stranger");

        assertThat(number(shown(), "ModifyIndex")).isGreaterThan(lease.token());
        assertThat(number(shown(), "LockIndex")).as("why it is no token").isZero();
        Proof answer = recorder.last()
                .acquisition()
                .coordinator()
                .ask()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        assertThat(answer.held()).isTrue();
        assertThat(answer.token()).isEqualTo(lease.token());
        assertThat(a.acquire(key, session, "2")).isTrue();
        assertThat(here()).containsExactly(lease);
        assertThat(lease.death()).isNull();
        assertThat(recorder.begun).hasSize(1);
        a.release(key, session);
        assertThat(here()).isEmpty();
        assertThat(a.acquire(key, session, "3")).isTrue();
        assertThat(here().get(0).token()).isGreaterThan(lease.token());
        a.destroySession(session);
    }

    @Test
    void bytesAreAcquiredLikeText() {
        String session = a.createSession(LONG);

        assertThat(a.acquire(key, session, "bytes".getBytes(UTF_8))).isTrue();

        assertThat(here()).hasSize(1);
        assertThat(here().get(0).lock()).isEqualTo(key);
        assertThat(a.release(key, session)).isTrue();
        assertThat(here()).isEmpty();
    }

    @Test
    void acquiringOnceMoreWithTheSameSessionKeepsTheLeaseAndOneReleaseEndsIt() {
        String session = a.createSession(LONG);
        a.acquire(key, session, "1");
        Lease lease = here().get(0);
        long token = lease.token();

        assertThat(a.acquire(key, session, "1")).isTrue();
        assertThat(a.acquire(key, session, "another value")).isTrue();

        assertThat(here()).containsExactly(lease);
        assertThat(lease.token()).isEqualTo(token);
        assertThat(recorder.begun).hasSize(1);
        assertThat(recorder.unsupported).isEmpty();
        a.release(key, session);
        assertThat(here()).isEmpty();
        assertThat(lease.released()).isTrue();
        a.destroySession(session);
    }

    @Test
    void twoThreadsWithOneSessionAreReportedAndHaveOneLease() throws Exception {
        String session = a.createSession(LONG);
        a.acquire(key, session, "1");
        Lease lease = here().get(0);

        List<Lease> others = elsewhere(() -> {
            a.acquire(key, session, "1");
            return here();
        });

        assertThat(others).containsExactly(lease);
        assertThat(recorder.begun).hasSize(1);
        assertThat(recorder.unsupported).singleElement().asString().contains("two threads with one session", key);
        a.release(key, session);
        assertThat(lease.released()).isTrue();
        elsewhere(() -> LeaseContext.ofCurrentThread().detach(lease));
        a.destroySession(session);
    }

    @Test
    void threadsThatAcquireAtOnceWithOneSessionHaveOneLease() throws Exception {
        String session = a.createSession(LONG);
        int threads = 8;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<List<Lease>>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            ServiceClient client = i % 2 == 0 ? a : b;
            all.add(pool.submit(() -> {
                start.await();
                client.acquire(key, session, "1");
                List<Lease> mine = here();
                mine.forEach(LeaseContext.ofCurrentThread()::detach);
                return mine;
            }));
        }

        start.countDown();

        for (Future<List<Lease>> each : all) {
            assertThat(each.get(30, TimeUnit.SECONDS)).hasSize(1).isEqualTo(all.get(0).get());
        }
        assertThat(recorder.begun).hasSize(1);
        assertThat(all.get(0).get().get(0).death()).isNull();
        pool.shutdownNow();
        a.release(key, session);
        a.destroySession(session);
    }

    @Test
    void aKeyThatWasDeletedAndHadAnotherOwnerMeanwhileIsAcquiredAnew() throws Exception {
        String session = a.createSession(LONG);
        a.acquire(key, session, "1");
        Lease lost = here().get(0);
        kind.server().deleteKey(key);
        String other = b.createSession(LONG);
        Lease between = elsewhere(() -> {
            assertThat(b.acquire(key, other, "2")).isTrue();
            Lease held = here().get(0);
            b.release(key, other);
            return held;
        });

        assertThat(a.acquire(key, session, "3")).isTrue();

        assertThat(lost.death()).isEqualTo(Lease.Death.LOST);
        Lease fresh = recorder.last().lease();
        assertThat(fresh).isNotSameAs(lost);
        assertThat(fresh.death()).isNull();
        assertThat(between.token()).isGreaterThan(lost.token());
        assertThat(fresh.token()).isGreaterThan(between.token());
        a.destroySession(session);
        b.destroySession(other);
        assertThat(here()).isEmpty();
    }

    /** The LockIndex begins again at 1, for both. */
    @Test
    void aKeyThatWasRecreatedAtOnceIsAnotherHoldOfTheSameSession() {
        String session = a.createSession(LONG);
        a.acquire(key, session, "1");
        Lease lost = here().get(0);
        assertThat(number(shown(), "LockIndex")).isEqualTo(1);
        kind.server().deleteKey(key);

        assertThat(a.acquire(key, session, "1")).isTrue();

        assertThat(number(shown(), "LockIndex")).isEqualTo(1);
        assertThat(lost.death()).isEqualTo(Lease.Death.LOST);
        assertThat(recorder.last().lease().token()).isGreaterThan(lost.token());
        assertThat(recorder.last().lease().death()).isNull();
        a.destroySession(session);
    }

    @Test
    void aSessionThatAnAdministratorEndsIsNoticedThoughItHasNoTimeToLive() {
        String session = a.createSession(null);
        a.acquire(key, session, "1");
        Lease lease = here().get(0);
        Acquisition told = recorder.last().acquisition();
        assertThat(told.coordinator().verifies()).isTrue();
        assertThat(told.explicitLease()).isFalse();
        assertThat(told.proof().timeLeftNanos()).isEqualTo(Duration.ofSeconds(10).toNanos());
        long first = lease.deadline().at();
        await().atMost(Duration.ofSeconds(10)).until(() -> lease.deadline().at() - first > 0);

        kind.server().destroySession(session);

        awaitDead(lease, Lease.Death.LOST);
        a.release(key, session);
        assertThat(here()).isEmpty();
    }

    @Test
    void aRenewalThatIsToldThatTheSessionIsOverEndsAllItsLeases() {
        String session = a.createSession(LONG);
        a.acquire(key, session, "1");
        a.acquire(key + "/second", session, "1");
        List<Lease> leases = here();
        kind.server().destroySession(session);

        assertThatThrownBy(() -> a.renewSession(session)).hasMessageContaining("404");

        assertThat(leases).hasSize(2).allMatch(lease -> lease.death() == Lease.Death.LOST);
        assertThat(recorder.of("told")).hasSize(2);
        a.release(key, session);
        a.release(key + "/second", session);
        assertThat(here()).isEmpty();
    }

    @Test
    void anAcquisitionWithASessionThatIsOverEndsAllItsLeases() {
        String session = a.createSession(LONG);
        a.acquire(key, session, "1");
        Lease lease = here().get(0);
        kind.server().destroySession(session);

        assertThatThrownBy(() -> a.acquire(key + "/second", session, "1")).isInstanceOf(RuntimeException.class);

        assertThat(lease.death()).isEqualTo(Lease.Death.LOST);
        assertThat(recorder.of("told")).hasSize(1);
        assertThat(recorder.begun).hasSize(1);
        a.release(key, session);
    }

    @Test
    void anotherSessionOnTheSameThreadTellsThatTheOneBeforeHasTheKeyNoMore() {
        String session = a.createSession(LONG);
        a.acquire(key, session, "1");
        Lease lost = here().get(0);
        kind.server().destroySession(session);
        String next = a.createSession(LONG);

        assertThat(a.acquire(key, next, "2")).isTrue();

        assertThat(lost.death()).isEqualTo(Lease.Death.LOST);
        assertThat(recorder.of("told")).hasSize(1);
        assertThat(recorder.last().lease().token()).isGreaterThan(lost.token());
        assertThat(recorder.last().lease().death()).isNull();
        a.destroySession(session);
        a.destroySession(next);
        assertThat(here()).isEmpty();
    }

    @Test
    void aSessionThatTheServiceDestroysGivesBackAllItsKeys() throws Exception {
        String session = a.createSession(LONG);
        a.acquire(key, session, "1");
        a.acquire(key + "/second", session, "1");
        List<Lease> leases = here();

        elsewhere(() -> {
            a.destroySession(session);
            return null;
        });

        assertThat(leases).hasSize(2).allMatch(Lease::released).allMatch(lease -> lease.death() == null);
        assertThat(here()).isEmpty();
    }

    @Test
    void aKeyThatTheServiceDeletesIsGivenBack() {
        String session = a.createSession(LONG);
        a.acquire(key, session, "1");
        a.acquire(key + "/x/1", session, "1");
        a.acquire(key + "/x/2", session, "1");
        List<Lease> leases = here();

        a.delete(key);

        assertThat(leases).hasSize(3);
        assertThat(leases.get(0).released()).isTrue();
        assertThat(leases.get(1).released()).isFalse();
        a.deleteAll(key + "/x");
        assertThat(leases).allMatch(Lease::released);
        assertThat(here()).isEmpty();
        a.destroySession(session);
    }

    /** Whether it is the same Consul, only Consul knows. */
    @Test
    void aKeyThatAnotherClientDeletesIsAskedForAtOnce() {
        String session = a.createSession(LONG);
        a.acquire(key, session, "1");
        Lease lease = here().get(0);

        b.delete(key);

        await().atMost(Duration.ofSeconds(1)).until(() -> lease.death() == Lease.Death.LOST);
        a.destroySession(session);
    }

    @Test
    void theDeadlineCountsFromTheSessionsCreationThoughConsulKeepsItForLonger() {
        long created = System.nanoTime();
        String session = a.createSession("2s");
        a.acquire(key, session, "1");
        long acquired = System.nanoTime();
        Lease lease = here().get(0);
        assertThat(recorder.last().acquisition().explicitLease()).isTrue();
        assertThat(recorder.last().acquisition().coordinator().verifies()).isFalse();
        assertThat(lease.deadline().at())
                .isBetween(
                        Deadline.end(created, Duration.ofSeconds(2).toNanos()),
                        Deadline.end(acquired, Duration.ofSeconds(2).toNanos()));

        awaitDead(lease, Lease.Death.EXPIRED);

        assertThat(System.nanoTime() - acquired).isLessThan(Duration.ofMillis(2_500).toNanos());
        assertThat(shown()).as("the hold at Consul").contains(session);
        // Whoever acquires now is told why that protects nothing.
        assertThat(a.acquire(key, session, "1")).isTrue();
        assertThat(recorder.last().acquisition().failure()).contains("renewed longer ago than its TTL");
        a.destroySession(session);
    }

    @Test
    void aRenewalMovesTheDeadlineOfEachLeaseOfItsSession() {
        String session = a.createSession("4s");
        a.acquire(key, session, "1");
        Lease lease = here().get(0);
        long first = lease.deadline().at();
        await().until(() -> System.nanoTime() - first > -Duration.ofMillis(2_500).toNanos());

        long renewed = System.nanoTime();
        a.renewSession(session);

        await().atMost(Duration.ofSeconds(1))
                .until(() -> lease.deadline().at()
                        >= Deadline.end(renewed, Duration.ofSeconds(4).toNanos()));
        assertThat(lease.deadline().at())
                .isLessThanOrEqualTo(Deadline.end(System.nanoTime(), Duration.ofSeconds(4).toNanos()));
        assertThat(recorder.count("renewed")).isPositive();
        a.destroySession(session);
    }

    @Test
    void aSessionThatIsOlderThanLockfenceIsVerifiedUntilItIsRenewed() {
        String session = a.createSession("15s");
        Kept.forget(session);
        a.acquire(key, session, "1");
        Acquisition told = recorder.last().acquisition();
        assertThat(told.coordinator().verifies()).isTrue();
        assertThat(told.proof().timeLeftNanos()).isEqualTo(Duration.ofSeconds(10).toNanos());

        a.renewSession(session);

        assertThat(told.coordinator().verifies()).isFalse();
        a.destroySession(session);
    }

    @Test
    void noHoldIsBelievedInForLongerThanTenSecondsHoweverLongItsSessionLives() {
        String session = a.createSession("24h");
        a.acquire(key, session, "1");
        assertThat(recorder.last().acquisition().proof().timeLeftNanos())
                .isEqualTo(Duration.ofSeconds(10).toNanos());
        a.destroySession(session);
    }

    @Test
    void leadershipHasALeaseOfTheProcess() {
        String session = a.createSession(LONG);
        String leader = key + "/leader";

        a.acquire(leader, session, "me");

        assertThat(recorder.last().acquisition().context()).isNull();
        a.release(leader, session);
        assertThat(recorder.last().lease().released()).isTrue();
        a.destroySession(session);
    }

    @Test
    void whatWritesNoLockIsLeftAlone() {
        a.put(key, "a value");
        a.delete(key);

        assertThat(recorder.begun).isEmpty();
        assertThat(recorder.events).isEmpty();
    }

    @Test
    void nothingIsKeptOfSessionsAndHoldsThatAreOver() {
        int sessions = Kept.sessions();
        int holds = Kept.holds();
        for (int i = 0; i < 20; i++) {
            String session = a.createSession(LONG);
            a.acquire(key, session, "1");
            if (i % 2 == 0) {
                a.release(key, session);
            }
            a.destroySession(session);
        }
        assertThat(Kept.sessions()).isEqualTo(sessions);
        assertThat(Kept.holds()).isEqualTo(holds);
    }
}
