/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

import io.lockfence.bootstrap.Beside;
import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The way to etcd that a client of the service's has, with its namespace, its credentials and its settings, and what is asked by it. Questions are sent and answered as the
 * client's own are: the calling thread does not wait.
 */
final class Connection {
    private static final ClassValue<Jetcd> JETCD = new ClassValue<>() {
        @Override
        protected Jetcd computeValue(Class<?> connections) {
            return new Jetcd(connections);
        }
    };

    private static final ClassValue<MethodHandle> CONNECTIONS = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> client) {
            return Handles.getter(client, "connectionManager");
        }
    };

    /** By the client object. Not by what this one holds: it would never be forgotten. */
    private static final Beside<Object, Connection> OF = new Beside<>();

    /** What is called of jetcd. */
    private static final class Jetcd {
        final MethodHandle namespace;
        final MethodHandle newKeys;
        final MethodHandle newLeases;
        final MethodHandle sequence;
        final MethodHandle get;
        final MethodHandle found;
        final MethodHandle createRevision;
        final MethodHandle leaseOf;
        final MethodHandle timeToLive;
        final Object plainly;
        final MethodHandle secondsLeft;
        final MethodHandle secondsGranted;
        final MethodHandle header;
        final MethodHandle revision;
        final MethodHandle lockKey;
        final MethodHandle leader;
        final MethodHandle leaderKey;

        Jetcd(Class<?> connections) {
            String implementations = connections.getPackageName() + '.';
            Class<?> bytes = Handles.type(connections, "io.etcd.jetcd.ByteSequence");
            namespace = Handles.method(connections, "getNamespace");
            sequence = Handles.method(bytes, "from", byte[].class);
            Class<?> keys = Handles.type(connections, implementations + "KVImpl");
            newKeys = Handles.constructor(keys, connections);
            get = Handles.method(keys, "get", bytes);
            found = Handles.method(Handles.type(connections, "io.etcd.jetcd.kv.GetResponse"), "getKvs");
            Class<?> entry = Handles.type(connections, "io.etcd.jetcd.KeyValue");
            createRevision = Handles.method(entry, "getCreateRevision");
            leaseOf = Handles.method(entry, "getLease");
            Class<?> leases = Handles.type(connections, implementations + "LeaseImpl");
            newLeases = Handles.constructor(leases, connections);
            Class<?> option = Handles.type(connections, "io.etcd.jetcd.options.LeaseOption");
            timeToLive = Handles.method(leases, "timeToLive", long.class, option);
            plainly = Handles.constant(option, "DEFAULT");
            Class<?> time = Handles.type(connections, "io.etcd.jetcd.lease.LeaseTimeToLiveResponse");
            secondsLeft = Handles.methodOf(time, new String[] {"getTTL", "getTTl"});
            secondsGranted = Handles.method(time, "getGrantedTTL");
            header = Handles.method(Handles.type(connections, "io.etcd.jetcd.Response"), "getHeader");
            revision = Handles.method(Handles.type(connections, "io.etcd.jetcd.Response$Header"), "getRevision");
            lockKey = Handles.method(Handles.type(connections, "io.etcd.jetcd.lock.LockResponse"), "getKey");
            leader = Handles.method(Handles.type(connections, "io.etcd.jetcd.election.CampaignResponse"), "getLeader");
            leaderKey = Handles.method(Handles.type(connections, "io.etcd.jetcd.election.LeaderKey"), "getKey");
        }
    }

    /** {@code ByteSequence}, and protobuf's {@code ByteString}, which keys of leaders are before 0.7.0. */
    private static final ClassValue<MethodHandle> BYTES = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> type) {
            MethodHandle bytes = PublicMethods.methodOrNull(type, "getBytes");
            return bytes != null ? bytes : PublicMethods.method(type, "toByteArray");
        }
    };

    /**
     * A key, as etcd has it.
     *
     * @param held whether it is there, and belongs to the lease that was asked for, and that lease is there
     * @param createRevision grows over the life of the cluster, with each key that is made
     * @param sentAt {@link System#nanoTime()} before the time left was asked for
     * @param secondsLeft of the lease, rounded down
     */
    record Sight(boolean held, long createRevision, long sentAt, long secondsLeft) {
        static final Sight NONE = new Sight(false, 0, 0, 0);
    }

    private final Jetcd jetcd;
    private final Object connections;
    private final byte[] namespace;
    private Object keys;
    private Object leases;

    private Connection(Object connections) {
        this.jetcd = JETCD.get(connections.getClass());
        this.connections = connections;
        try {
            this.namespace = bytes(jetcd.namespace.invoke(connections));
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /**
     * @param client a {@code LockImpl} or {@code ElectionImpl}
     * @throws IllegalStateException if it cannot be read from the client
     */
    static Connection of(Object client) {
        Connection known = OF.get(client);
        if (known != null) {
            return known;
        }
        Object connections;
        try {
            connections = CONNECTIONS.get(client.getClass()).invoke(client);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
        known = new Connection(connections);
        OF.put(client, known);
        return known;
    }

    /** An {@code ElectionImpl} was made that does not keep what it was made with. */
    static void met(Object client, Object connections) {
        OF.put(client, new Connection(connections));
    }

    /** A name or key of the service's, as etcd knows it: with the client's namespace in front. */
    byte[] full(Object sequence) {
        byte[] own = bytes(sequence);
        byte[] full = Arrays.copyOf(namespace, namespace.length + own.length);
        System.arraycopy(own, 0, full, namespace.length, own.length);
        return full;
    }

    /** The full key of a {@code LockResponse}. */
    byte[] keyOfLock(Object response) throws Throwable {
        return full(jetcd.lockKey.invoke(response));
    }

    /** The full key of a {@code CampaignResponse}. */
    byte[] keyOfCampaign(Object response) throws Throwable {
        return keyOfLeader(jetcd.leader.invoke(response));
    }

    /** The full key of a {@code LeaderKey}. */
    byte[] keyOfLeader(Object leader) throws Throwable {
        return bytes(jetcd.leaderKey.invoke(leader));
    }

    /** The revision at which an answer was given, of whatever kind it is. */
    long revision(Object response) throws Throwable {
        return (long) jetcd.revision.invoke(jetcd.header.invoke(response));
    }

    private static byte[] bytes(Object sequence) {
        try {
            return (byte[]) BYTES.get(sequence.getClass()).invoke(sequence);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /** For people, and for rules. */
    static String text(byte[] name) {
        return new String(name, StandardCharsets.UTF_8);
    }

    /** The same for the same bytes alone. */
    static String exact(byte[] key) {
        return new String(key, StandardCharsets.ISO_8859_1);
    }

    /**
     * Looks at a key, and then at its lease. The first question is answered only by who knows the leader of the cluster: a server that has been out of touch with the others
     * learns by it that it leads no more, before it is asked for the time left, which a leader answers by itself.
     *
     * @param key full
     */
    CompletableFuture<Sight> look(byte[] key, long leaseId) {
        try {
            clients();
            Object own = jetcd.sequence.invoke(Arrays.copyOfRange(key, namespace.length, key.length));
            return ((CompletableFuture<?>) jetcd.get.invoke(keys, own)).thenCompose(found -> lookOn(found, leaseId));
        } catch (Throwable t) {
            return CompletableFuture.failedFuture(t);
        }
    }

    private CompletableFuture<Sight> lookOn(Object response, long leaseId) {
        try {
            List<?> found = (List<?>) jetcd.found.invoke(response);
            if (found.isEmpty() || (long) jetcd.leaseOf.invoke(found.get(0)) != leaseId) {
                return CompletableFuture.completedFuture(Sight.NONE);
            }
            long createRevision = (long) jetcd.createRevision.invoke(found.get(0));
            long sentAt = System.nanoTime();
            return ((CompletableFuture<?>) jetcd.timeToLive.invoke(leases, leaseId, jetcd.plainly))
                    .thenApply(answer -> sight(createRevision, sentAt, answer));
        } catch (Throwable t) {
            return CompletableFuture.failedFuture(t);
        }
    }

    private Sight sight(long createRevision, long sentAt, Object answer) {
        try {
            long left = (long) jetcd.secondsLeft.invoke(answer);
            long granted = (long) jetcd.secondsGranted.invoke(answer);
            if (left > granted) {
                // A server that has just ceased to lead lets leases live for ever, for itself.
                throw new IllegalStateException("etcd says that a lease has " + left + " s left, of " + granted);
            }
            return left < 0 ? Sight.NONE : new Sight(true, createRevision, sentAt, left);
        } catch (Throwable t) {
            throw new CompletionException(t);
        }
    }

    /** Of our own, over the client's connection: the service may have closed its own. */
    private synchronized void clients() throws Throwable {
        if (keys == null) {
            Object made = jetcd.newLeases.invoke(connections);
            keys = jetcd.newKeys.invoke(connections);
            leases = made;
        }
    }
}
