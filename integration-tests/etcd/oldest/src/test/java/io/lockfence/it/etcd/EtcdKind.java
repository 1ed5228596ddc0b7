/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.lock.LockResponse;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.support.CloseableClient;
import io.grpc.stub.StreamObserver;
import io.lockfence.agent.WovenLocks;
import io.lockfence.instrumentation.etcd.EtcdLibrary;
import io.lockfence.it.Etcd;
import io.lockfence.it.locks.LockContract.Kind;
import io.lockfence.it.locks.LockContract.ServiceLock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** jetcd with two clients and an etcd of its own. Each acquisition has a lease of its own, which is kept alive until the release. */
final class EtcdKind implements Kind {
    static final int TTL_SECONDS = 6;
    static final String NAMESPACE = "shop/";

    static {
        WovenLocks.install(new EtcdLibrary());
    }

    private final Etcd server;
    private final List<Client> clients;

    EtcdKind(Etcd.Version version) {
        server = Etcd.start(version);
        clients = List.of(client(), client());
    }

    /** One more client of the service's; the caller closes it. */
    Client client() {
        return Client.builder()
                .endpoints(server.endpoint())
                .namespace(bytes(NAMESPACE))
                .build();
    }

    Client client(int number) {
        return clients.get(number);
    }

    Etcd server() {
        return server;
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, UTF_8);
    }

    @Override
    public String library() {
        return "etcd";
    }

    @Override
    public String lock(String name) {
        return NAMESPACE + "locks/" + name;
    }

    @Override
    public ServiceLock lock(int client, String name) {
        return new EtcdLock(clients.get(client), bytes("locks/" + name));
    }

    @Override
    public boolean reenters() {
        return false;
    }

    @Override
    public boolean ownsThread() {
        return false;
    }

    @Override
    public boolean beginsElsewhere() {
        return true;
    }

    @Override
    public Duration granted() {
        return Duration.ofSeconds(TTL_SECONDS);
    }

    @Override
    @SuppressWarnings("deprecation") // What replaces it is not there in the oldest version.
    public void destroy(String name) throws Exception {
        String prefix = "locks/" + name;
        clients.get(1)
                .getKVClient()
                .delete(
                        bytes(prefix + "/"),
                        DeleteOption.newBuilder().withRange(bytes(prefix + "0")).build())
                .get(10, TimeUnit.SECONDS);
    }

    @Override
    public void cutOff() {
        server.pause();
    }

    @Override
    public void heal() {
        server.resume();
    }

    @Override
    public void restart(boolean keepData) {
        server.restart(keepData);
    }

    @Override
    public void close() {
        clients.forEach(Client::close);
        server.close();
    }

    /** As a service does it that gives up its place in the line when it does not want to wait any longer. */
    private static final class EtcdLock implements ServiceLock {
        private final Client client;
        private final ByteSequence name;
        private volatile Held held;

        private record Held(ByteSequence key, long leaseId, CloseableClient keepingAlive) {}

        private interface Wait {
            LockResponse on(CompletableFuture<LockResponse> response)
                    throws InterruptedException, ExecutionException, TimeoutException;
        }

        EtcdLock(Client client, ByteSequence name) {
            this.client = client;
            this.name = name;
        }

        @Override
        public void acquire() throws Exception {
            take(CompletableFuture::get);
        }

        @Override
        public boolean acquire(Duration atMost) throws Exception {
            try {
                take(response -> response.get(atMost.toMillis(), TimeUnit.MILLISECONDS));
                return true;
            } catch (TimeoutException e) {
                return false;
            }
        }

        private void take(Wait wait) throws Exception {
            long leaseId = client.getLeaseClient()
                    .grant(TTL_SECONDS)
                    .get(10, TimeUnit.SECONDS)
                    .getID();
            CloseableClient keepingAlive = client.getLeaseClient().keepAlive(leaseId, new Unheeded());
            try {
                ByteSequence key =
                        wait.on(client.getLockClient().lock(name, leaseId)).getKey();
                held = new Held(key, leaseId, keepingAlive);
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                keepingAlive.close();
                var unused = client.getLeaseClient().revoke(leaseId);
                throw e;
            }
        }

        @Override
        public void release() throws Exception {
            Held given = held;
            given.keepingAlive.close();
            client.getLockClient().unlock(given.key).get(10, TimeUnit.SECONDS);
            client.getLeaseClient().revoke(given.leaseId).get(10, TimeUnit.SECONDS);
        }
    }

    /** Of a service that does not look at what jetcd tells of its leases. */
    static final class Unheeded implements StreamObserver<LeaseKeepAliveResponse> {
        @Override
        public void onNext(LeaseKeepAliveResponse response) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }
}
