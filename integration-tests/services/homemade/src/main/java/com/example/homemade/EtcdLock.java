/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.support.CloseableClient;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Locks of etcd: each acquisition has a lease of its own. */
final class EtcdLock implements AutoCloseable {
    private static final long SHORT_MILLIS = 1_000;

    private final Client client;
    private final Duration ttl;
    private final Map<String, Held> held = new ConcurrentHashMap<>();

    private record Held(ByteSequence key, long leaseId, CloseableClient keepingAlive) {}

    EtcdLock(String endpoint, Duration ttl) {
        this.client = Client.builder().endpoints(endpoint).build();
        this.ttl = ttl;
    }

    /** Keeps the lease alive from before it waits, and gives up its place in the line after a moment. */
    boolean tryLock(String name) throws Exception {
        long leaseId = grant();
        CloseableClient keepingAlive = client.getLeaseClient().keepAlive(leaseId, new Unheeded());
        try {
            lock(name, leaseId, keepingAlive, SHORT_MILLIS);
            return true;
        } catch (TimeoutException e) {
            keepingAlive.close();
            revoke(leaseId);
            return false;
        }
    }

    /** Waits as long as it takes, with a lease that nothing keeps alive. */
    boolean lockPatiently(String name) throws Exception {
        lock(name, grant(), null, Long.MAX_VALUE);
        return true;
    }

    private long grant() throws Exception {
        return client.getLeaseClient().grant(ttl.toSeconds()).get().getID();
    }

    private void lock(String name, long leaseId, CloseableClient keepingAlive, long millis) throws Exception {
        ByteSequence key = client.getLockClient()
                .lock(ByteSequence.from("locks/" + name, StandardCharsets.UTF_8), leaseId)
                .get(millis, TimeUnit.MILLISECONDS)
                .getKey();
        held.put(name, new Held(key, leaseId, keepingAlive));
    }

    void unlock(String name) throws Exception {
        Held given = held.remove(name);
        if (given.keepingAlive != null) {
            given.keepingAlive.close();
        }
        client.getLockClient().unlock(given.key).get(SHORT_MILLIS, TimeUnit.MILLISECONDS);
        revoke(given.leaseId);
    }

    /** One that has ended by itself is none the less given back, and must hide no failure of the work. */
    private void revoke(long leaseId) throws Exception {
        try {
            client.getLeaseClient().revoke(leaseId).get(SHORT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (Status.fromThrowable(e).getCode() != Status.Code.NOT_FOUND) {
                throw e;
            }
        }
    }

    @Override
    public void close() {
        client.close();
    }

    /** Nobody looks at what jetcd tells of the leases. */
    private static final class Unheeded implements StreamObserver<LeaseKeepAliveResponse> {
        @Override
        public void onNext(LeaseKeepAliveResponse response) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }
}
