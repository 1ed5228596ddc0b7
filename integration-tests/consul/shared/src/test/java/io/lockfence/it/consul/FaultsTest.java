/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lockfence.bootstrap.Lease;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that fail, and answers that are lost, on the way between the service and Consul. */
@Timeout(60)
class FaultsTest extends ConsulTestBase {
    private static ConsulKind kind;

    private final String key = "faults/" + UUID.randomUUID();
    private HttpWire wire;
    private ServiceClient a;

    @BeforeAll
    static void startConsul() {
        kind = new ConsulKind();
    }

    @AfterAll
    static void stopConsul() {
        kind.close();
    }

    @BeforeEach
    void start() {
        wire = new HttpWire(kind.server().port());
        a = Clients.of(wire.port());
    }

    @AfterEach
    void stop() {
        a.close();
        wire.close();
    }

    @Test
    void whereTheTokenCannotBeReadTheAcquireCallIsAsEverAndTheNextOneMakesItGood() {
        String session = a.createSession("60s");
        wire.refuses = request -> request.startsWith("GET");

        assertThat(a.acquire(key, session, "1")).isTrue();

        Lease unusable = here().get(0);
        assertThat(unusable.death()).isEqualTo(Lease.Death.UNUSABLE);
        assertThat(recorder.last().acquisition().failure()).contains("could not be asked", key);
        wire.refuses = request -> false;
        assertThat(a.acquire(key, session, "1")).isTrue();
        assertThat(recorder.last().lease()).isNotSameAs(unusable);
        assertThat(recorder.last().lease().death()).isNull();
        assertThat(recorder.last().lease().token()).isPositive();
        a.release(key, session);
        a.destroySession(session);
        assertThat(here()).isEmpty();
    }

    @Test
    void aConsulWithoutALeaderForAMomentIsAskedAgain() {
        String session = a.createSession("60s");
        wire.requests.clear();
        wire.refuses = request -> request.startsWith("GET")
                && wire.requests.stream().filter(any -> any.startsWith("GET")).count() < 3;

        assertThat(a.acquire(key, session, "1")).isTrue();

        assertThat(here().get(0).death()).isNull();
        assertThat(here().get(0).token()).isPositive();
        a.destroySession(session);
    }

    @Test
    void anotherOwnerBetweenTheAcquisitionAndTheQuestionMakesTheLeaseDeadFromTheBeginning() {
        String session = a.createSession("60s");
        ServiceClient b = kind.client(0);
        String other = b.createSession("60s");
        wire.before = () -> {
            if (wire.requests.get(wire.requests.size() - 1).startsWith("GET")) {
                wire.before = () -> {};
                kind.server().deleteKey(key);
                kind.server().acquire(key, other);
            }
        };

        assertThat(a.acquire(key, session, "1")).isTrue();

        Lease lease = here().get(0);
        assertThat(lease.death()).isNotNull();
        assertThat(recorder.last().acquisition().proof().held()).isFalse();
        assertThat(recorder.last().acquisition().failure()).contains("did not belong to the session", key);
        a.destroySession(session);
        b.destroySession(other);
        assertThat(here()).isEmpty();
    }

    @Test
    void aRenewalThatFailsOtherwiseThanByA404NeitherProlongsNorEnds() {
        String session = a.createSession("60s");
        a.acquire(key, session, "1");
        Lease lease = here().get(0);
        wire.refuses = request -> request.contains("/session/renew/");

        assertThatThrownBy(() -> a.renewSession(session)).isInstanceOf(RuntimeException.class);

        assertThat(lease.death()).isNull();
        assertThat(recorder.of("told")).isEmpty();
        assertThat(recorder.of("renewed")).isEmpty();
        a.destroySession(session);
    }

    @Test
    void anAcquisitionWhoseAnswerIsLostBeginsNoLease() {
        String session = a.createSession("60s");
        wire.swallows = request -> request.startsWith("PUT") && request.contains("acquire=");

        assertThatThrownBy(() -> a.acquire(key, session, "1")).isInstanceOf(RuntimeException.class);

        assertThat(recorder.begun).isEmpty();
        assertThat(here()).isEmpty();
        a.destroySession(session);
    }

    /** Nothing may be written under the lease any more; the key may still be held, and acquiring it again is the same hold, with the same number. */
    @Test
    void aReleaseThatFailsEndsTheLeaseAllTheSameAndAcquiringAgainIsTheSameHold() {
        String session = a.createSession("60s");
        a.acquire(key, session, "1");
        Lease lease = here().get(0);
        wire.refuses = request -> request.startsWith("PUT") && request.contains("release=");

        assertThatThrownBy(() -> a.release(key, session)).isInstanceOf(RuntimeException.class);

        assertThat(lease.released()).isTrue();
        assertThat(here()).isEmpty();
        wire.refuses = request -> false;
        assertThat(a.acquire(key, session, "1")).isTrue();
        assertThat(here()).hasSize(1).doesNotContain(lease);
        assertThat(here().get(0).token()).isEqualTo(lease.token());
        assertThat(a.release(key, session)).isTrue();
        assertThat(here()).isEmpty();
        assertThat(a.release(key, session)).isFalse();
        assertThat(a.acquire(key, session, "1")).isTrue();
        assertThat(here().get(0).token()).isGreaterThan(lease.token());
        a.destroySession(session);
    }

    @Test
    void whereNoQuestionIsAnsweredTheDeadlinePasses() {
        String session = a.createSession(null);
        a.acquire(key, session, "1");
        Lease lease = here().get(0);
        wire.refuses = request -> request.startsWith("GET");
        long cut = System.nanoTime();

        awaitDead(lease, Lease.Death.EXPIRED);

        assertThat(System.nanoTime() - cut).isLessThan(Duration.ofMillis(10_500).toNanos());
        wire.refuses = request -> false;
        await().during(Duration.ofMillis(500)).until(() -> lease.death() == Lease.Death.EXPIRED);
        a.release(key, session);
        a.destroySession(session);
    }

    @Test
    void anInterruptedThreadHasItsLeaseAndItsInterrupt() throws Exception {
        String session = a.createSession("60s");
        Thread service = Thread.currentThread();
        wire.before = () -> {
            if (wire.requests.get(wire.requests.size() - 1).startsWith("GET")) {
                service.interrupt();
            }
        };

        assertThat(a.acquire(key, session, "1")).isTrue();

        wire.before = () -> {};
        assertThat(Thread.interrupted()).isTrue();
        assertThat(here().get(0).death()).isNull();
        a.destroySession(session);
    }

    /** By a consistent read, or one that has been cut off from the others would tell what it remembers. */
    @Test
    void questionsAreConsistentReads() {
        String session = a.createSession("60s");
        wire.requests.clear();

        a.acquire(key, session, "1");

        assertThat(wire.requests.stream().filter(request -> request.startsWith("GET")))
                .isNotEmpty()
                .allMatch(request -> request.contains("/v1/kv/" + key) && request.contains("consistent"));
        a.destroySession(session);
    }
}
