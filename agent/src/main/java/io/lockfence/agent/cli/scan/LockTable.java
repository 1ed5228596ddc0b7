/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The lock libraries that are known, and their methods. A new library is a few lines here. */
final class LockTable {
    /** What a call does. */
    enum Role {
        /** Gives the object that locks; takes nothing. */
        FACTORY,
        /** Returns once the lock is held, or throws. */
        ACQUIRE,
        /** Its result says whether the lock is held. */
        TRY,
        RELEASE,
        /** Gives a lock that is held more time. */
        RENEW,
        /** Runs what it is given while it holds the lock. */
        SCOPED
    }

    /** Where a call has its lease time. */
    enum Lease {
        NONE,
        /** A number, then a {@code TimeUnit}. */
        UNIT,
        MILLIS,
        SECONDS,
        DURATION,
        /** An option object that was built with the call {@code px}, {@code ex} or the like. */
        OPTION
    }

    /**
     * A method of a library.
     *
     * @param owner binary name; subtypes are meant too
     * @param name of the method
     * @param descriptor a beginning of its descriptor; empty for all
     * @param nameArgument which argument, from 0 without the receiver, is the lock's name; -1: the receiver was made with it
     * @param leaseArgument which argument is the lease; -1 for none
     * @param fenced whether this version fences locks that are made so
     */
    record LockMethod(
            LockLibrary library,
            String owner,
            String name,
            String descriptor,
            Role role,
            int nameArgument,
            int leaseArgument,
            Lease lease,
            boolean fenced) {}

    /**
     * @param name as rules would name it
     * @param title for people
     * @param fenced whether rules of this version can name it
     * @param marker a class that is there where the library is
     * @param confirmed whether the calls are locks for sure; else they may be something else, such as a cache
     */
    record LockLibrary(String name, String title, boolean fenced, String marker, boolean confirmed) {}

    private static final String UNIT = "Ljava/util/concurrent/TimeUnit;";

    private final Map<String, List<LockMethod>> byName = new LinkedHashMap<>();
    private final Map<String, LockLibrary> libraries = new LinkedHashMap<>();
    private LockLibrary library;

    LockTable() {
        redisson();
        curator();
        etcd();
        consul();
        lettuce();
        jedis();
        springDataRedis();
        shedLock();
        springIntegration();
        hazelcast();
    }

    List<LockLibrary> libraries() {
        return List.copyOf(libraries.values());
    }

    LockLibrary library(String name) {
        return libraries.get(name);
    }

    /** Binary names of the classes that have the methods. */
    Set<String> owners() {
        return byName.values().stream()
                .flatMap(List::stream)
                .map(LockMethod::owner)
                .collect(Collectors.toSet());
    }

    /** The methods of all libraries with this name. */
    List<LockMethod> named(String method) {
        return byName.getOrDefault(method, List.of());
    }

    private void redisson() {
        library("redisson", "Redisson", true, "org.redisson.api.RedissonClient");
        String api = "org.redisson.api.";
        for (String kind : List.of("", "Reactive", "Rx")) {
            String client = api + "Redisson" + kind + "Client";
            for (String factory : List.of(
                    "getLock", "getFairLock", "getFencedLock", "getNonReentrantLock", "getNonReentrantFairLock")) {
                factory(client, factory, 0, true);
            }
            // A RedissonMultiLock: each of its members is fenced. With a name and values, a RedissonFasterMultiLock.
            add(client, "getMultiLock", "([", Role.FACTORY, -1, -1, Lease.NONE, true);
            add(client, "getMultiLock", "(Ljava/lang/String;", Role.FACTORY, 0, -1, Lease.NONE, false);
            factory(client, "getRedLock", -1, false);
            factory(client, "getSpinLock", 0, false);
            factory(client, "getReadWriteLock", 0, false);
            factory(api + "RReadWriteLock" + kind, "readLock", -1, false);
            factory(api + "RReadWriteLock" + kind, "writeLock", -1, false);
        }
        factory("org.redisson.RedissonRedLock", "<init>", -1, false);
        factory("org.redisson.RedissonMultiLock", "<init>", -1, true);
        for (String kind : List.of("", "Async", "Reactive", "Rx")) {
            String suffix = kind.equals("Async") ? kind : "";
            for (String lock : List.of(api + "RLock" + kind, api + "RFencedLock" + kind)) {
                String token = lock.contains("Fenced") ? "AndGetToken" : "";
                String acquire = "lock" + token + suffix;
                acquire(lock, acquire, "(J" + UNIT, Role.ACQUIRE, 0, Lease.UNIT);
                acquire(lock, acquire, "(", Role.ACQUIRE, -1, Lease.NONE);
                String attempt = "tryLock" + token + suffix;
                acquire(lock, attempt, "(JJ" + UNIT, Role.TRY, 1, Lease.UNIT);
                acquire(lock, attempt, "(", Role.TRY, -1, Lease.NONE);
            }
            release(api + "RLock" + kind, "unlock" + suffix);
            release(api + "RLock" + kind, "forceUnlock" + suffix);
        }
        acquire(api + "RLock", "lockInterruptibly", "(J" + UNIT, Role.ACQUIRE, 0, Lease.UNIT);
        acquire(api + "RLock", "lockInterruptibly", "(", Role.ACQUIRE, -1, Lease.NONE);
    }

    private void curator() {
        library("curator", "Apache Curator", true, "org.apache.curator.framework.CuratorFramework");
        String locks = "org.apache.curator.framework.recipes.locks.";
        for (String type : List.of("InterProcessMutex", "InterProcessSemaphoreMutex", "InterProcessReadWriteLock")) {
            factory(locks + type, "<init>", 1, true);
        }
        factory(locks + "InterProcessReadWriteLock", "readLock", -1, false);
        factory(locks + "InterProcessReadWriteLock", "writeLock", -1, true);
        acquire(locks + "InterProcessLock", "acquire", "()", Role.ACQUIRE, -1, Lease.NONE);
        acquire(locks + "InterProcessLock", "acquire", "(J" + UNIT, Role.TRY, -1, Lease.NONE);
        release(locks + "InterProcessLock", "release");
        // Where the library's own classes are not among the jars, nothing says that these are InterProcessLocks.
        for (String type : List.of("InterProcessMutex", "InterProcessSemaphoreMutex")) {
            acquire(locks + type, "acquire", "()", Role.ACQUIRE, -1, Lease.NONE);
            acquire(locks + type, "acquire", "(J" + UNIT, Role.TRY, -1, Lease.NONE);
            release(locks + type, "release");
        }
    }

    private void etcd() {
        library("etcd", "etcd (jetcd)", true, "io.etcd.jetcd.Client");
        add("io.etcd.jetcd.Lock", "lock", "", Role.ACQUIRE, 0, -1, Lease.NONE, true);
        add("io.etcd.jetcd.Lock", "unlock", "", Role.RELEASE, 0, -1, Lease.NONE, true);
        add("io.etcd.jetcd.Election", "campaign", "", Role.ACQUIRE, 0, -1, Lease.NONE, true);
        add("io.etcd.jetcd.Election", "resign", "", Role.RELEASE, 0, -1, Lease.NONE, true);
    }

    private void consul() {
        library("consul", "Consul", false, "org.kiwiproject.consul.KeyValueClient");
        for (String owner : List.of("org.kiwiproject.consul.KeyValueClient", "com.orbitz.consul.KeyValueClient")) {
            add(owner, "acquireLock", "", Role.TRY, 0, -1, Lease.NONE, false);
            add(owner, "releaseLock", "", Role.RELEASE, 0, -1, Lease.NONE, false);
        }
    }

    private void lettuce() {
        library("lettuce", "Lettuce (SET NX)", false, "io.lettuce.core.RedisClient", false);
        for (String kind : List.of("sync", "async", "reactive")) {
            String suffix = kind.equals("sync") ? "" : kind.equals("async") ? "Async" : "Reactive";
            for (String part : List.of("String", "")) {
                String owner = "io.lettuce.core.api." + kind + ".Redis" + part + suffix + "Commands";
                add(
                        owner,
                        "set",
                        "(Ljava/lang/Object;Ljava/lang/Object;Lio/lettuce/core/SetArgs;)",
                        Role.TRY,
                        0,
                        2,
                        Lease.OPTION,
                        false);
                add(owner, "setnx", "", Role.TRY, 0, -1, Lease.NONE, false);
            }
            for (String part : List.of("Key", "Scripting", "")) {
                String owner = "io.lettuce.core.api." + kind + ".Redis" + part + suffix + "Commands";
                add(owner, "del", "", Role.RELEASE, 0, -1, Lease.NONE, false);
                add(owner, "eval", "", Role.RELEASE, 2, -1, Lease.NONE, false);
                add(owner, "evalsha", "", Role.RELEASE, 2, -1, Lease.NONE, false);
            }
        }
    }

    private void jedis() {
        library("jedis", "Jedis (SET NX)", false, "redis.clients.jedis.Jedis", false);
        for (String owner : List.of(
                "redis.clients.jedis.Jedis",
                "redis.clients.jedis.UnifiedJedis",
                "redis.clients.jedis.JedisPooled",
                "redis.clients.jedis.JedisCluster",
                "redis.clients.jedis.commands.JedisCommands",
                "redis.clients.jedis.commands.StringCommands")) {
            for (String params : List.of("redis/clients/jedis/params/SetParams", "redis/clients/jedis/SetParams")) {
                add(
                        owner,
                        "set",
                        "(Ljava/lang/String;Ljava/lang/String;L" + params + ";)",
                        Role.TRY,
                        0,
                        2,
                        Lease.OPTION,
                        false);
            }
            add(owner, "setnx", "", Role.TRY, 0, -1, Lease.NONE, false);
            add(owner, "del", "", Role.RELEASE, 0, -1, Lease.NONE, false);
            add(owner, "eval", "", Role.RELEASE, 1, -1, Lease.NONE, false);
            add(owner, "evalsha", "", Role.RELEASE, 1, -1, Lease.NONE, false);
        }
    }

    private void springDataRedis() {
        library(
                "spring-data-redis",
                "Spring Data Redis (setIfAbsent)",
                false,
                "org.springframework.data.redis.core.RedisTemplate",
                false);
        String values = "org.springframework.data.redis.core.ValueOperations";
        add(values, "setIfAbsent", "(Ljava/lang/Object;Ljava/lang/Object;J" + UNIT, Role.TRY, 0, 2, Lease.UNIT, false);
        add(
                values,
                "setIfAbsent",
                "(Ljava/lang/Object;Ljava/lang/Object;Ljava/time/Duration;",
                Role.TRY,
                0,
                2,
                Lease.DURATION,
                false);
        add(values, "setIfAbsent", "(Ljava/lang/Object;Ljava/lang/Object;)", Role.TRY, 0, -1, Lease.NONE, false);
        for (String owner : List.of(
                "org.springframework.data.redis.core.RedisOperations",
                "org.springframework.data.redis.core.RedisTemplate",
                "org.springframework.data.redis.core.StringRedisTemplate")) {
            add(owner, "delete", "", Role.RELEASE, 0, -1, Lease.NONE, false);
            add(
                    owner,
                    "execute",
                    "(Lorg/springframework/data/redis/core/script/RedisScript;",
                    Role.RELEASE,
                    1,
                    -1,
                    Lease.NONE,
                    false);
        }
    }

    private void shedLock() {
        library("shedlock", "ShedLock", false, "net.javacrumbs.shedlock.core.LockProvider");
        String core = "net.javacrumbs.shedlock.core.";
        add(core + "LockProvider", "lock", "", Role.TRY, 0, -1, Lease.NONE, false);
        release(core + "SimpleLock", "unlock");
        add(core + "LockingTaskExecutor", "executeWithLock", "", Role.SCOPED, 1, -1, Lease.NONE, false);
        factory(core + "LockConfiguration", "<init>", 1, false);
    }

    private void springIntegration() {
        library(
                "spring-integration",
                "Spring Integration LockRegistry",
                false,
                "org.springframework.integration.support.locks.LockRegistry");
        String registry = "org.springframework.integration.support.locks.LockRegistry";
        factory(registry, "obtain", 0, false);
        add(registry, "executeLocked", "", Role.SCOPED, 0, -1, Lease.NONE, false);
        for (String kind : List.of(
                "redis.util.RedisLockRegistry", "jdbc.lock.JdbcLockRegistry", "zookeeper.lock.ZookeeperLockRegistry")) {
            factory("org.springframework.integration." + kind, "obtain", 0, false);
        }
    }

    private void hazelcast() {
        library("hazelcast", "Hazelcast FencedLock", false, "com.hazelcast.cp.CPSubsystem");
        factory("com.hazelcast.cp.CPSubsystem", "getLock", 0, false);
        String lock = "com.hazelcast.cp.lock.FencedLock";
        for (String acquire : List.of("lock", "lockInterruptibly", "lockAndGetFence")) {
            acquire(lock, acquire, "()", Role.ACQUIRE, -1, Lease.NONE);
        }
        for (String attempt : List.of("tryLock", "tryLockAndGetFence")) {
            acquire(lock, attempt, "(", Role.TRY, -1, Lease.NONE);
        }
        release(lock, "unlock");
    }

    private void library(String name, String title, boolean fenced, String marker) {
        library(name, title, fenced, marker, true);
    }

    private void library(String name, String title, boolean fenced, String marker, boolean confirmed) {
        library = new LockLibrary(name, title, fenced, marker, confirmed);
        libraries.put(name, library);
    }

    private void factory(String owner, String name, int nameArgument, boolean fenced) {
        add(owner, name, "", Role.FACTORY, nameArgument, -1, Lease.NONE, fenced);
    }

    private void acquire(String owner, String name, String descriptor, Role role, int leaseArgument, Lease lease) {
        add(owner, name, descriptor, role, -1, leaseArgument, lease, library.fenced());
    }

    private void release(String owner, String name) {
        add(owner, name, "", Role.RELEASE, -1, -1, Lease.NONE, library.fenced());
    }

    private void add(
            String owner,
            String name,
            String descriptor,
            Role role,
            int nameArgument,
            int leaseArgument,
            Lease lease,
            boolean fenced) {
        byName.computeIfAbsent(name, key -> new ArrayList<>())
                .add(new LockMethod(
                        library, owner, name, descriptor, role, nameArgument, leaseArgument, lease, fenced));
    }
}
