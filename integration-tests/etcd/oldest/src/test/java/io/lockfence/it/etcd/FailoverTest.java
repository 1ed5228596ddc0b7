/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.etcd;

import static io.lockfence.it.etcd.EtcdKind.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.lockfence.agent.WovenLocks;
import io.lockfence.bootstrap.Lease;
import io.lockfence.instrumentation.etcd.EtcdLibrary;
import io.lockfence.it.Etcd;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster of three members, one of which goes away. */
@Timeout(120)
class FailoverTest extends EtcdTestBase {
    private static final String NAME = "locks/order";

    static {
        WovenLocks.install(new EtcdLibrary());
    }

    private List<Etcd> members;
    private Client a;
    private Client b;

    @BeforeEach
    void start() {
        members = Etcd.cluster(Etcd.Version.V3_4, 3);
        a = client(members);
        b = client(members);
    }

    private static Client client(List<Etcd> members) {
        return Client.builder()
                .endpoints(members.stream().map(Etcd::endpoint).toArray(String[]::new))
                .build();
    }

    @AfterEach
    void stop() {
        a.close();
        b.close();
        members.forEach(Etcd::close);
    }

    private Etcd leader() {
        return await().atMost(Duration.ofSeconds(20))
                .until(() -> members.stream().filter(Etcd::leads).findFirst().orElse(null), found -> found != null);
    }

    @Test
    void aHolderGoesOnWhenTheLeaderOfTheClusterIsKilled() throws Exception {
        ByteSequence key = lock(a, NAME, grantKeptAlive(a, 15));
        Lease lease = here().get(0);

        leader().kill();

        long killed = System.nanoTime();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> recorder.of("renewed").stream().anyMatch(event -> event.sentAt() - killed > 0));
        assertThat(lease.death()).isNull();
        long waiter =
                await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> grant(b, 30), id -> id != null);
        assertThatThrownBy(() -> b.getLockClient().lock(bytes(NAME), waiter).get(500, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        revoke(b, waiter);
        unlock(a, key);
        ByteSequence next = lock(b, NAME, grantKeptAlive(b, 15));
        assertThat(here().get(0).token()).isGreaterThan(lease.token());
        unlock(b, next);
    }

    /** A client that knows no other member cannot renew; the others elect a leader, which lets the lease run out. */
    @Test
    void theLeaseIsDeadBeforeAnotherHasTheLockWhenTheLeaderOfTheClusterIsStopped() throws Exception {
        Etcd leader = leader();
        try (Client bound = client(List.of(leader))) {
            lock(bound, NAME, grantKeptAlive(bound, 5));
            Lease lease = here().get(0);
            List<Etcd> others =
                    members.stream().filter(member -> member != leader).toList();

            leader.pause();
            try (Client free = client(others)) {
                long leaseId = await().atMost(Duration.ofSeconds(30))
                        .ignoreExceptions()
                        .until(() -> grantKeptAlive(free, 15), id -> id != null);
                ByteSequence next = free.getLockClient()
                        .lock(bytes(NAME), leaseId)
                        .thenApply(response -> {
                            assertThat(lease.death()).isNotNull();
                            return response.getKey();
                        })
                        .get(60, TimeUnit.SECONDS);

                assertThat(recorder.last().lease().token()).isGreaterThan(lease.token());
                leader.resume();
                unlock(free, next);
            } finally {
                leader.resume();
            }
            assertThat(lease.death()).isNotNull();
        }
    }
}
