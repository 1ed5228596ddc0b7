/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;

/** A {@code CuratorFramework}, and the session with ZooKeeper that it has at the moment. Calls block as the client does. */
final class Session {
    private static final ClassValue<Framework> FRAMEWORKS = new ClassValue<>() {
        @Override
        protected Framework computeValue(Class<?> type) {
            return new Framework(type);
        }
    };

    private static final ClassValue<Client> CLIENTS = new ClassValue<>() {
        @Override
        protected Client computeValue(Class<?> type) {
            return new Client(type);
        }
    };

    private static final class Framework {
        final MethodHandle zookeeperClient;
        final MethodHandle namespace;
        final MethodHandle zooKeeper;
        final MethodHandle listenable;
        final MethodHandle addListener;
        final Class<?> listener;

        Framework(Class<?> type) {
            zookeeperClient = PublicMethods.method(type, "getZookeeperClient");
            namespace = PublicMethods.method(type, "getNamespace");
            zooKeeper = PublicMethods.method(
                    Handles.type(type, "org.apache.curator.CuratorZookeeperClient"), "getZooKeeper");
            listenable = PublicMethods.method(type, "getConnectionStateListenable");
            addListener = PublicMethods.method(
                    Handles.type(type, "org.apache.curator.framework.listen.Listenable"), "addListener", "Object");
            listener = Handles.type(type, "org.apache.curator.framework.state.ConnectionStateListener");
        }
    }

    /** {@code org.apache.zookeeper.ZooKeeper}. */
    private static final class Client {
        final MethodHandle id;
        final MethodHandle timeout;
        final MethodHandle alive;
        final MethodHandle state;
        final MethodHandle sync;
        final MethodHandle exists;
        final MethodHandle czxid;
        final MethodHandle owner;
        final Class<?> noNode;
        final Class<?> expired;

        Client(Class<?> type) {
            id = PublicMethods.method(type, "getSessionId");
            timeout = PublicMethods.method(type, "getSessionTimeout");
            state = PublicMethods.method(type, "getState");
            alive = PublicMethods.method(Handles.type(type, "org.apache.zookeeper.ZooKeeper$States"), "isAlive");
            sync = PublicMethods.method(type, "sync", "String", "VoidCallback", "Object");
            exists = PublicMethods.method(type, "exists", "String", "boolean");
            Class<?> stat = Handles.type(type, "org.apache.zookeeper.data.Stat");
            czxid = PublicMethods.method(stat, "getCzxid");
            owner = PublicMethods.method(stat, "getEphemeralOwner");
            noNode = Handles.type(type, "org.apache.zookeeper.KeeperException$NoNodeException");
            expired = Handles.type(type, "org.apache.zookeeper.KeeperException$SessionExpiredException");
        }
    }

    /**
     * A node, as ZooKeeper has it.
     *
     * @param czxid of its creation; 0 if there is no such node
     * @param ours whether it belongs to the session that asked
     */
    record Node(long czxid, boolean ours) {
        static final Node NONE = new Node(0, false);
    }

    private final Framework framework;
    private final Object curator;

    /** @param curator the {@code CuratorFramework} that the lock was made with */
    Session(Object curator) {
        this.curator = curator;
        this.framework = FRAMEWORKS.get(curator.getClass());
    }

    /** The object that all facades of one client share, namespaced or not. */
    Object identity() throws Throwable {
        return framework.zookeeperClient.invoke(curator);
    }

    /** A path of the client's as the server knows it, but for the root that the connection string may have. */
    String fullPath(String path) throws Throwable {
        String namespace = (String) framework.namespace.invoke(curator);
        return namespace == null || namespace.isEmpty() ? path : "/" + namespace + (path.equals("/") ? "" : path);
    }

    /** From now on, as long as the client lives. */
    void listen(Clients.Listener listener) throws Throwable {
        framework.addListener.invoke(framework.listenable.invoke(curator), listener.as(framework.listener));
    }

    /** The client's session of now. */
    Connection connection() throws Throwable {
        return new Connection(framework.zooKeeper.invoke(framework.zookeeperClient.invoke(curator)));
    }

    /**
     * One session with ZooKeeper. It stays that session's when the client has got another: then, as after the client's end, its session is over.
     */
    static final class Connection {
        private final Client of;
        private final Object client;

        Connection(Object client) {
            this.client = client;
            this.of = CLIENTS.get(client.getClass());
        }

        /** What is asked of it besides. */
        Questions questions() {
            return Questions.of(client);
        }

        /** What the server granted, in milliseconds; 0 before the first connection. */
        int timeoutMillis() throws Throwable {
            return (int) of.timeout.invoke(client);
        }

        /**
         * Whether the client has heard of its server within two thirds of its session's time, as it believes itself; not of a server that is cut off from the others and goes on read-only.
         */
        boolean connected() throws Throwable {
            return String.valueOf(of.state.invoke(client)).equals("CONNECTED");
        }

        /** Whether it is closed, or its session expired. */
        boolean ended() throws Throwable {
            return !(boolean) of.alive.invoke(of.state.invoke(client));
        }

        /**
         * Looks at a node, as the leader of the ensemble has it: a follower that is cut off from the leader goes on answering reads for seconds.
         *
         * @param path full
         * @return what is there; of a session that is over, nothing is
         * @throws Throwable if nobody can be asked
         */
        Node look(String path) throws Throwable {
            if (ended()) {
                return Node.NONE;
            }
            mustBeConnected();
            Object stat;
            try {
                // No answer of its own is waited for: the server answers the requests of a session in their order.
                of.sync.invoke(client, path, (Object) null, (Object) null);
                stat = of.exists.invoke(client, path, false);
            } catch (Exception e) {
                if (of.expired.isInstance(e) || of.noNode.isInstance(e)) {
                    return Node.NONE;
                }
                throw e;
            }
            mustBeConnected();
            return stat == null
                    ? Node.NONE
                    : new Node(
                            (long) of.czxid.invoke(stat), (long) of.owner.invoke(stat) == (long) of.id.invoke(client));
        }

        private void mustBeConnected() throws Throwable {
            if (!connected()) {
                throw new IllegalStateException("the client is " + of.state.invoke(client));
            }
        }
    }
}
