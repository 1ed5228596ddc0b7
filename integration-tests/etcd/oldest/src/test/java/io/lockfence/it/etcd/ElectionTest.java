/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.etcd;

import static io.lockfence.it.etcd.EtcdKind.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.election.CampaignResponse;
import io.etcd.jetcd.election.LeaderKey;
import io.lockfence.bootstrap.Lease;
import io.lockfence.it.Etcd;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leadership of a process, by jetcd's {@code Election}, on etcd 3.4. */
@Timeout(60)
class ElectionTest extends EtcdTestBase {
    private static final long LONG = 30;

    private static EtcdKind kind;
    private static Client a;
    private static Client b;

    private final String name = UUID.randomUUID() + "-leader";

    @BeforeAll
    static void start() {
        kind = new EtcdKind(Etcd.Version.V3_4);
        a = kind.client(0);
        b = kind.client(1);
    }

    @AfterAll
    static void stop() {
        kind.close();
    }

    private LeaderKey campaign(Client client, long leaseId) throws Exception {
        return campaigning(client, leaseId).get(20, TimeUnit.SECONDS).getLeader();
    }

    private CompletableFuture<CampaignResponse> campaigning(Client client, long leaseId) {
        return client.getElectionClient().campaign(bytes(name), leaseId, bytes("me"));
    }

    private static void resign(Client client, LeaderKey leader) throws Exception {
        client.getElectionClient().resign(leader).get(20, TimeUnit.SECONDS);
    }

    @Test
    void aLeaderHasItsLeaseBeforeItIsToldAndUntilItResigns() throws Exception {
        CompletableFuture<CampaignResponse> elected = campaigning(a, grantKeptAlive(a, LONG));
        int begunWhenTold = elected.thenApply(response -> recorder.begun.size()).get(20, TimeUnit.SECONDS);
        LeaderKey leader = elected.join().getLeader();

        assertThat(begunWhenTold).isEqualTo(1);
        Lease lease = recorder.last().lease();
        assertThat(recorder.last().acquisition().lock()).isEqualTo("shop/" + name);
        assertThat(recorder.last().acquisition().context()).isNull();
        assertThat(lease.token()).isEqualTo(leader.getRevision());
        assertThat(lease.death()).isNull();

        resign(a, leader);

        assertThat(lease.released()).isTrue();
        assertThat(lease.death()).isNull();
    }

    @Test
    void tokensOfLeadersGrow() throws Exception {
        long before = 0;
        for (int i = 0; i < 20; i++) {
            Client client = i % 2 == 0 ? a : b;
            LeaderKey leader = campaign(client, grantKeptAlive(client, LONG));
            assertThat(recorder.last().lease().token()).isGreaterThan(before);
            before = recorder.last().lease().token();
            resign(client, leader);
        }
        assertThat(recorder.begun).hasSize(20);
    }

    @Test
    void aProclamationAndASecondCampaignKeepTheLease() throws Exception {
        long leaseId = grantKeptAlive(a, LONG);
        LeaderKey leader = campaign(a, leaseId);
        Lease lease = recorder.last().lease();

        a.getElectionClient().proclaim(leader, bytes("still me")).get(20, TimeUnit.SECONDS);
        campaign(a, leaseId);

        assertThat(recorder.begun).hasSize(1);
        assertThat(lease.death()).isNull();
        resign(a, leader);
        assertThat(lease.released()).isTrue();
    }

    @Test
    void aCandidateWhoseLeaseHasEndedIsToldThatItLeadsAndHasADeadLease() throws Exception {
        LeaderKey first = campaign(a, grantKeptAlive(a, LONG));
        long ending = grant(b, 2);
        CompletableFuture<CampaignResponse> waiting = campaigning(b, ending);
        await().until(() -> !find(b, name, ending).isEmpty());
        await().atMost(Duration.ofSeconds(20)).until(() -> find(b, name, ending).isEmpty());

        resign(a, first);

        waiting.get(20, TimeUnit.SECONDS);
        assertThat(find(b, name, ending)).isEmpty();
        assertThat(recorder.begun).hasSize(2);
        assertThat(recorder.last().lease().death()).isNotNull();
        assertThat(recorder.last().lease().deathCause()).contains("owns nothing");
    }

    @Test
    void whoGaveUpTheCampaignDoesNotLead() throws Exception {
        LeaderKey first = campaign(a, grantKeptAlive(a, LONG));
        long waiter = grantKeptAlive(b, LONG);
        CompletableFuture<CampaignResponse> waiting = campaigning(b, waiter);
        assertThatThrownBy(() -> waiting.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);

        resign(a, first);

        await().until(waiting::isDone);
        assertThat(recorder.begun).hasSize(1);
        LeaderKey second = waiting.join().getLeader();
        assertThat(recorder.begun).hasSize(2);
        assertThat(recorder.last().lease().death()).isNull();
        resign(b, second);
    }

    @Test
    void whatIsChainedToACampaignThatWasWaitedForInVainRunsUnderTheLease() throws Exception {
        LeaderKey first = campaign(a, grantKeptAlive(a, LONG));
        CompletableFuture<CampaignResponse> waiting = campaigning(b, grantKeptAlive(b, LONG));
        CompletableFuture<Integer> begunWhenTold = waiting.thenApply(response -> recorder.begun.size());
        assertThatThrownBy(() -> waiting.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);

        resign(a, first);

        assertThat(begunWhenTold.get(20, TimeUnit.SECONDS)).isEqualTo(2);
        assertThat(recorder.last().lease().death()).isNull();
        resign(b, waiting.join().getLeader());
    }

    @Test
    void aDeposedLeaderKeepsItsDeadLease() throws Exception {
        long leaseId = grantKeptAlive(a, 3);
        campaign(a, leaseId);
        Lease lease = recorder.last().lease();

        kind.server().revoke(leaseId);

        await().atMost(Duration.ofSeconds(10)).until(() -> lease.death() == Lease.Death.LOST);
        assertThat(lease.released()).isFalse();
        revoke(a, grant(a, LONG));
        assertThat(recorder.count("released")).isZero();
    }

    /** A server that starts gives leases their whole time again: longer without it than a lease of ours lasts, and nobody else has led. */
    @Test
    void aLeaderThatHeldOnWhileItsLeaseExpiredGoesOnUnderANewOne() throws Exception {
        EtcdKind own = new EtcdKind(Etcd.Version.V3_4);
        try {
            Client client = own.client(0);
            LeaderKey leader = campaign(client, grantKeptAlive(client, 6));
            Lease lease = recorder.last().lease();

            own.server().kill();
            await().atMost(Duration.ofSeconds(20)).until(() -> lease.death() == Lease.Death.EXPIRED);
            own.server().relaunch();

            await().atMost(Duration.ofSeconds(20)).until(() -> !recorder.returned.isEmpty());
            Lease anew = recorder.returned.get(0);
            assertThat(anew.token()).isEqualTo(lease.token());
            assertThat(anew.leaseId()).isEqualTo(lease.leaseId());
            assertThat(lease.death()).isEqualTo(Lease.Death.EXPIRED);
            resign(client, leader);
            assertThat(anew.released()).isTrue();
        } finally {
            own.close();
        }
    }

    @Test
    void anElectionOfAThreadsRuleIsReported() throws Exception {
        recorder.process = lock -> false;

        LeaderKey leader = campaign(a, grantKeptAlive(a, LONG));

        assertThat(recorder.begun).isEmpty();
        assertThat(recorder.unsupported).containsExactly("Election without `scope: process` in its rule shop/" + name);
        resign(a, leader);
    }
}
