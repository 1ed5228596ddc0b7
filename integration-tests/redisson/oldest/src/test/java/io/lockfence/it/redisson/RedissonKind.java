/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import io.lockfence.agent.WovenLocks;
import io.lockfence.instrumentation.redisson.RedissonLibrary;
import io.lockfence.it.TcpProxy;
import io.lockfence.it.locks.LockContract.Kind;
import io.lockfence.it.locks.LockContract.ServiceLock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import redis.embedded.RedisServer;

/** Redisson with two clients, a Redis of its own that keeps every command on disk, and a wire to it that can be cut. */
final class RedissonKind implements Kind {
    private static final int WATCHDOG_MILLIS = 4_000;

    static {
        WovenLocks.install(new RedissonLibrary());
    }

    private final BiFunction<RedissonClient, String, RLock> locks;
    private final Path data = Files.createTempDirectory("lockfence-redis");
    private final int port = freePort();
    private RedisServer server = launch();
    private final TcpProxy wire = new TcpProxy(port);
    private final List<RedissonClient> clients = List.of(client(), client());

    RedissonKind(BiFunction<RedissonClient, String, RLock> locks) throws IOException {
        this.locks = locks;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private RedisServer launch() throws IOException {
        RedisServer launched = RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .setting("appendonly yes")
                .setting("appendfsync always")
                .setting("dir " + data)
                .build();
        launched.start();
        return launched;
    }

    private RedissonClient client() {
        Config config = new Config();
        config.setLockWatchdogTimeout(WATCHDOG_MILLIS);
        config.setNettyThreads(4).setThreads(4);
        config.useSingleServer()
                .setAddress("redis://127.0.0.1:" + wire.port())
                .setConnectionMinimumIdleSize(4)
                .setConnectionPoolSize(16);
        return Redisson.create(config);
    }

    @Override
    public String library() {
        return "redisson";
    }

    @Override
    public String lock(String name) {
        return name;
    }

    @Override
    public ServiceLock lock(int client, String name) {
        RLock lock = locks.apply(clients.get(client), name);
        return new ServiceLock() {
            @Override
            public void acquire() throws Exception {
                lock.lockInterruptibly();
            }

            @Override
            public boolean acquire(Duration atMost) throws Exception {
                return lock.tryLock(atMost.toMillis(), TimeUnit.MILLISECONDS);
            }

            @Override
            public void release() {
                lock.unlock();
            }
        };
    }

    @Override
    public boolean reenters() {
        return true;
    }

    @Override
    public boolean ownsThread() {
        return true;
    }

    @Override
    public Duration granted() {
        return Duration.ofMillis(WATCHDOG_MILLIS);
    }

    @Override
    public void destroy(String name) {
        clients.get(1).getKeys().delete(name);
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
    public void restart(boolean keepData) throws IOException {
        // Who connects meanwhile waits: to be turned away by the wire alone, Redisson waits three seconds.
        wire.cut();
        server.stop();
        if (!keepData) {
            delete();
            Files.createDirectories(data);
        }
        server = launch();
        wire.heal();
    }

    @Override
    public void close() throws IOException {
        clients.forEach(client -> client.shutdown(0, 1, TimeUnit.SECONDS));
        wire.close();
        server.stop();
        delete();
    }

    private void delete() throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
