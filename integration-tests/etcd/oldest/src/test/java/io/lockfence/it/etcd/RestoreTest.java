/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.lockfence.bootstrap.Lease;
import io.lockfence.it.Etcd;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** etcd goes back to an older snapshot while the service holds a lock: its revisions begin again, and so do the keys of that time. */
@Timeout(90)
class RestoreTest extends EtcdTestBase {
    private static final String NAME = "locks/held";

    private EtcdKind kind;
    private Client a;
    private Client b;

    @BeforeEach
    void start() {
        kind = new EtcdKind(Etcd.Version.V3_4);
        a = kind.client(0);
        b = kind.client(1);
    }

    @AfterEach
    void stop() {
        kind.close();
    }

    @Test
    void aHolderThatTheSnapshotKnowsGoesOn() throws Exception {
        ByteSequence key = lock(a, NAME, grantKeptAlive(a, 10));
        Lease lease = here().get(0);
        Path snapshot = kind.server().snapshot();

        kind.server().restore(snapshot);

        long restored = System.nanoTime();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> recorder.of("renewed").stream().anyMatch(event -> event.sentAt() - restored > 0));
        assertThat(lease.death()).isNull();
        assertThat(find(a, key).get(0).getCreateRevision()).isEqualTo(lease.token());
        unlock(a, key);
    }

    @Test
    void aHolderThatTheSnapshotDoesNotKnowIsToldThatItsLockIsLost() throws Exception {
        ByteSequence before = lock(a, NAME, grantKeptAlive(a, 10));
        long oldToken = here().get(0).token();
        Path snapshot = kind.server().snapshot();
        unlock(a, before);
        ByteSequence key = lock(b, NAME, grantKeptAlive(b, 10));
        Lease lease = here().get(0);
        assertThat(lease.token()).isGreaterThan(oldToken);

        kind.server().restore(snapshot);

        await().atMost(Duration.ofSeconds(30)).until(() -> lease.death() != null);
        assertThat(lease.death()).isEqualTo(Lease.Death.LOST);
        assertThat(find(b, key)).isEmpty();
        // The key of whoever held the lock then is there again, with its lease's whole time; nobody of this JVM takes
        // it for its own.
        assertThat(find(a, before).get(0).getCreateRevision()).isEqualTo(oldToken);
        assertThat(here()).containsExactly(lease);
        unlock(b, key);
        unlock(a, before);
    }
}
