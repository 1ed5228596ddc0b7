/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.etcd;

import static io.lockfence.it.etcd.EtcdKind.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lock.LockResponse;
import io.lockfence.it.Etcd;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What etcd 3.5 does otherwise than 3.4. */
@Timeout(60)
class WaiterOn35Test extends EtcdTestBase {
    private static final String NAME = "locks/one";

    @Test
    void aWaiterWhoseLeaseHasEndedIsToldSoAndHasNoLease() throws Exception {
        EtcdKind kind = new EtcdKind(Etcd.Version.V3_5);
        try {
            Client a = kind.client(0);
            Client b = kind.client(1);
            ByteSequence first = elsewhere(() -> lock(a, NAME, grant(a, 30)));
            long ending = grant(b, 2);
            CompletableFuture<LockResponse> waiting = b.getLockClient().lock(bytes(NAME), ending);
            await().until(() -> !find(b, NAME, ending).isEmpty());
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> find(b, NAME, ending).isEmpty());

            elsewhere(() -> {
                unlock(a, first);
                return null;
            });

            assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            assertThat(recorder.begun).hasSize(1);
            assertThat(here()).isEmpty();
        } finally {
            kind.close();
        }
    }
}
