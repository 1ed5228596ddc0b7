/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import io.lettuce.core.RedisClient;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryForever;
import redis.clients.jedis.JedisPooled;

/** The ways of locking by their names. */
final class Styles implements AutoCloseable {
    private final JedisPooled jedis;
    private final RedisClient lettuce;
    private final DataSource database;
    private final Duration lease;

    private final String zookeeper;
    private CuratorFramework curator;

    private final String etcd;
    private EtcdLock etcdLock;

    /**
     * @param zookeeper null where no style needs it
     * @param etcd the same
     */
    Styles(String redis, String zookeeper, String etcd, DataSource database, Duration lease) {
        this.etcd = etcd;
        this.zookeeper = zookeeper;
        this.jedis = new JedisPooled(URI.create(redis));
        this.lettuce = RedisClient.create(redis);
        this.database = database;
        this.lease = lease;
    }

    Style named(String name) {
        return switch (name) {
            case "jedis" -> {
                JedisLock lock = new JedisLock(jedis);
                long millis = lease.toMillis();
                yield new Style(n -> lock.tryLock(n, millis), n -> lock.extend(n, millis), lock::unlock);
            }
            case "lettuce" -> {
                LettuceLock lock = new LettuceLock(lettuce.connect().sync());
                yield new Style(n -> lock.tryAcquire(n, lease), n -> lock.extend(n, lease), lock::release);
            }
            case "row" -> {
                RowLock lock = new RowLock(database);
                yield new Style(n -> lock.acquire(n, lease) != null, n -> lock.extend(n, lease), lock::release);
            }
            case "advisory" -> {
                AdvisoryLock lock = new AdvisoryLock(database);
                yield new Style(lock::tryLock, n -> true, lock::unlock);
            }
            case "advisory-by-statement" -> {
                AdvisoryLock lock = new AdvisoryLock(database);
                yield new Style(lock::tryLockByStatement, n -> true, lock::unlockByStatement);
            }
            case "async" -> {
                AsyncLock lock = new AsyncLock(lettuce.connect().async());
                yield new Style(
                        n -> lock.acquireAsync(n, lease).join(),
                        n -> lock.extendAsync(n, lease).join(),
                        n -> lock.releaseAsync(n).join());
            }
            case "curator" -> curator();
            case "curator-leader" -> leader();
            case "etcd" -> {
                etcdLock = new EtcdLock(etcd, lease);
                yield new Style(etcdLock::tryLock, n -> true, etcdLock::unlock);
            }
            case "etcd-patient" -> {
                etcdLock = new EtcdLock(etcd, lease);
                yield new Style(etcdLock::lockPatiently, n -> true, etcdLock::unlock);
            }
            case "client-jedis" -> client(new JedisClient(new JedisLock(jedis)));
            case "client-lettuce" ->
                client(new LettuceClient(new LettuceLock(lettuce.connect().sync())));
            case "client-row" -> client(new RowClient(new RowLock(database)));
            default -> throw new IllegalArgumentException("no style of lock is called " + name);
        };
    }

    /** What the locks are there for, besides the database. */
    Device device() {
        return new RecordingDevice(jedis);
    }

    private void connect() {
        curator = CuratorFrameworkFactory.builder()
                .connectString(zookeeper)
                .sessionTimeoutMs((int) lease.toMillis())
                .connectionTimeoutMs((int) lease.toMillis())
                .retryPolicy(new RetryForever(200))
                .build();
        curator.start();
    }

    private Style curator() {
        connect();
        Map<String, InterProcessMutex> mutexes = new ConcurrentHashMap<>();
        return new Style(
                name -> mutexes.computeIfAbsent(name, n -> new InterProcessMutex(curator, "/locks/" + n))
                        .acquire(1, TimeUnit.SECONDS),
                name -> true,
                name -> mutexes.get(name).release());
    }

    /** Leads as long as there is something to do, and looks no more at whether it still does. */
    private Style leader() {
        connect();
        Map<String, LeaderLatch> latches = new ConcurrentHashMap<>();
        return new Style(
                name -> {
                    LeaderLatch latch = new LeaderLatch(curator, "/leaders/" + name);
                    latch.start();
                    if (!latch.await(1, TimeUnit.SECONDS)) {
                        latch.close();
                        return false;
                    }
                    latches.put(name, latch);
                    return true;
                },
                name -> true,
                name -> latches.remove(name).close());
    }

    private Style client(LockClient implementation) {
        LockClient client = LockClient.proxied(implementation);
        return new Style(n -> client.acquire(n, lease), n -> client.extend(n, lease), client::release);
    }

    @Override
    public void close() {
        jedis.close();
        lettuce.shutdown();
        if (curator != null) {
            curator.close();
        }
        if (etcdLock != null) {
            etcdLock.close();
        }
    }
}
