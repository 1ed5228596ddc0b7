/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.config.RulesLoader;
import io.lockfence.agent.report.Log;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases that cover a process: which of several candidates of one JVM its work belongs to. */
class LeadershipTest {
    private static final String RULES = """
            mode: enforce
            targets:
              - {name: db, jdbc: "**"}
            locks:
              - {name: leaders, library: etcd, key: leaders, resource: leaders, scope: process}
            """;

    private Leases leases;
    private int before;

    @BeforeEach
    void rules() throws Exception {
        before = LeaseContext.active();
        leases = new Protocol(RulesLoader.parse(RULES, "rules"), new Report(Log.to("quiet"))).leases();
    }

    @AfterEach
    void nothingIsLeft() {
        LeaseContext.endUnit(null);
        assertThat(leases.live()).as("leases left").isZero();
        assertThat(LeaseContext.active())
                .as("what keeps woven calls from being idle")
                .isEqualTo(before);
    }

    private Lease elected(String candidate, Proof proof, String failure) {
        return leases.acquired(new Acquisition("etcd", "leaders", candidate, null, false, proof, failure, false, null));
    }

    private static Proof held(long token) {
        return new Proof(System.nanoTime(), true, token, TimeUnit.MINUTES.toNanos(1), 1);
    }

    private static Proof nothing() {
        return Proof.notHeld(System.nanoTime());
    }

    private static List<Lease> onAnyThread() throws Exception {
        return CompletableFuture.supplyAsync(
                        () -> List.of(LeaseContext.ofCurrentThread().leases()))
                .get(30, TimeUnit.SECONDS);
    }

    @Test
    void aCandidateThatWasElectedInVainLeavesTheLeaderOfItsProcess() throws Exception {
        Lease leader = elected("a", held(7), null);
        Lease ghost = elected("b", nothing(), "its lease had ended while it waited");

        assertThat(ghost.death()).isEqualTo(Lease.Death.LOST);
        assertThat(ghost.forgotten()).isTrue();
        assertThat(leader.death()).isNull();
        assertThat(onAnyThread()).containsExactly(leader);
        leases.releasing("a");
        assertThat(onAnyThread()).isEmpty();
    }

    @Test
    void aCandidateThatWasElectedInVainWhereNobodyLeadsIsRefused() throws Exception {
        Lease ghost = elected("b", nothing(), "its lease had ended while it waited");

        assertThat(onAnyThread()).containsExactly(ghost);
        assertThat(ghost.deathCause()).contains("its lease had ended");
        leases.releasing("b");
    }

    @Test
    void aCandidateThatWasElectedInVainFollowsALeaderThatIsNoneAnyMore() throws Exception {
        Lease leader = elected("a", held(7), null);
        leases.lost("a", "its key is gone");
        Lease ghost = elected("b", nothing(), "its lease had ended while it waited");

        assertThat(leader.forgotten()).isTrue();
        assertThat(onAnyThread()).containsExactly(ghost);
        leases.releasing("b");
    }

    private static void expired(Lease lease) throws InterruptedException {
        while (lease.death() == null) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertThat(lease.death()).isEqualTo(Lease.Death.EXPIRED);
    }

    private static Proof held(long token, long millis) {
        return new Proof(System.nanoTime(), true, token, TimeUnit.MILLISECONDS.toNanos(millis), 1);
    }

    /** A pause that was longer than the lease, and shorter than its coordinator took to notice. */
    @Test
    void aLeaderThatHeldOnWhileItsLeaseExpiredGoesOnUnderANewOne() throws Exception {
        Lease before = elected("a", held(7, 1), null);
        expired(before);

        Lease anew = leases.returned("a", held(7));

        assertThat(anew).isNotSameAs(before);
        assertThat(anew.death()).isNull();
        assertThat(anew.token()).isEqualTo(7);
        assertThat(anew.leaseId()).as("as the fences know it").isEqualTo(before.leaseId());
        assertThat(before.death()).isEqualTo(Lease.Death.EXPIRED);
        assertThat(before.forgotten()).isTrue();
        assertThat(onAnyThread()).containsExactly(anew);
        leases.releasing("a");
        assertThat(onAnyThread()).isEmpty();
    }

    @Test
    void aLeaderThatHasAnotherTokenDoesNotGoOn() throws Exception {
        Lease before = elected("a", held(7, 1), null);
        expired(before);

        assertThat(leases.returned("a", held(8))).isNull();

        assertThat(onAnyThread()).containsExactly(before);
        leases.releasing("a");
    }

    @Test
    void aLeaderThatWasLostDoesNotGoOn() throws Exception {
        Lease before = elected("a", held(7), null);
        leases.lost("a", "its key is gone");

        assertThat(leases.returned("a", held(7))).isNull();

        assertThat(onAnyThread()).containsExactly(before);
        leases.releasing("a");
    }

    @Test
    void nobodyGoesOnWhoHasNoLeaseOrOneThatLives() {
        assertThat(leases.returned("a", held(7))).isNull();
        elected("a", held(7), null);

        assertThat(leases.returned("a", held(7))).isNull();

        leases.releasing("a");
    }

    @Test
    void aTermFollowsAnother() throws Exception {
        Lease first = elected("a", held(7), null);
        Lease second = elected("b", held(8), null);

        assertThat(first.death()).isEqualTo(Lease.Death.LOST);
        assertThat(onAnyThread()).containsExactly(second);
        leases.releasing("b");
    }
}
