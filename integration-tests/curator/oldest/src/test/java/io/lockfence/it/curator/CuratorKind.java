/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.curator;

import io.lockfence.agent.WovenLocks;
import io.lockfence.instrumentation.curator.CuratorLibrary;
import io.lockfence.it.TcpProxy;
import io.lockfence.it.ZooKeeper;
import io.lockfence.it.locks.LockContract.Kind;
import io.lockfence.it.locks.LockContract.ServiceLock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.retry.RetryOneTime;

/** Curator with two clients, a ZooKeeper of its own, and a wire to it that can be cut. */
final class CuratorKind implements Kind {
    static final int SESSION_MILLIS = 4_000;

    static {
        WovenLocks.install(new CuratorLibrary());
    }

    private final boolean reenters;
    private final boolean ownsThread;
    private final String prefix;
    private final String below;
    private final BiFunction<CuratorFramework, String, InterProcessLock> locks;
    private final ZooKeeper server = ZooKeeper.start();
    private final TcpProxy wire = new TcpProxy(server.port());
    private final List<CuratorFramework> clients;

    /**
     * @param prefix of the names of lock nodes, behind what Curator puts before
     * @param below where they are, below the lock's path
     */
    CuratorKind(
            boolean reenters,
            boolean ownsThread,
            String prefix,
            String below,
            BiFunction<CuratorFramework, String, InterProcessLock> locks)
            throws Exception {
        this.reenters = reenters;
        this.ownsThread = ownsThread;
        this.prefix = prefix;
        this.below = below;
        this.locks = locks;
        this.clients = List.of(client(), client());
    }

    CuratorFramework client() throws Exception {
        return client(SESSION_MILLIS);
    }

    CuratorFramework client(int sessionMillis) throws Exception {
        CuratorFramework client = CuratorFrameworkFactory.builder()
                .connectString("127.0.0.1:" + wire.port())
                .sessionTimeoutMs(sessionMillis)
                .connectionTimeoutMs(5_000)
                .retryPolicy(new RetryOneTime(100))
                .namespace("shop")
                .build();
        client.start();
        client.blockUntilConnected(10, TimeUnit.SECONDS);
        return client;
    }

    @Override
    public String library() {
        return "curator";
    }

    @Override
    public String lock(String name) {
        return "/shop/locks/" + name;
    }

    @Override
    public ServiceLock lock(int client, String name) {
        InterProcessLock lock = locks.apply(clients.get(client), "/locks/" + name);
        return new ServiceLock() {
            @Override
            public void acquire() throws Exception {
                lock.acquire();
            }

            @Override
            public boolean acquire(Duration atMost) throws Exception {
                return lock.acquire(atMost.toMillis(), TimeUnit.MILLISECONDS);
            }

            @Override
            public void release() throws Exception {
                lock.release();
            }
        };
    }

    @Override
    public boolean reenters() {
        return reenters;
    }

    @Override
    public boolean ownsThread() {
        return ownsThread;
    }

    @Override
    public Duration granted() {
        return Duration.ofMillis(SESSION_MILLIS);
    }

    @Override
    public void destroy(String name) throws Exception {
        CuratorFramework admin = clients.get(1);
        String parent = "/locks/" + name + below;
        for (String node : admin.getChildren().forPath(parent)) {
            if (node.contains(prefix)) {
                admin.delete().forPath(parent + "/" + node);
            }
        }
    }

    @Override
    public void cutOff() {
        wire.cut();
    }

    @Override
    public void heal() {
        wire.heal();
    }

    @Override
    public void restart(boolean keepData) {
        server.restart(keepData);
    }

    @Override
    public void close() throws Exception {
        for (CuratorFramework client : clients) {
            client.close();
        }
        wire.close();
        server.close();
    }
}
