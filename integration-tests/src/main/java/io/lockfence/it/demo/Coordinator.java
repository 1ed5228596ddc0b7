/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.demo;

import io.lockfence.it.Build;
import io.lockfence.it.Etcd;
import io.lockfence.it.Redis;
import io.lockfence.it.ZooKeeper;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Whom the service of the demo trusts with its locks. */
enum Coordinator {
    REDIS("Redis", "integration-tests/demo/lockfence.yaml") {
        @Override
        Path service() {
            return Build.stockJar();
        }

        @Override
        Server start() {
            Redis redis = Redis.start();
            return new Server(
                    lease -> List.of("--redis=" + redis.address(), "--watchdog=" + lease), List.of(redis::close));
        }
    },
    ZOOKEEPER("ZooKeeper", "integration-tests/demo/lockfence-zookeeper.yaml") {
        @Override
        Path service() {
            return Build.homemadeJar();
        }

        @Override
        Server start() {
            Redis redis = Redis.start();
            ZooKeeper zooKeeper = ZooKeeper.start();
            return new Server(
                    lease -> List.of(
                            "--lock=curator",
                            "--zookeeper=" + zooKeeper.address(),
                            "--redis=" + redis.address(),
                            "--lease=" + lease),
                    List.of(zooKeeper::close, redis::close));
        }
    },
    ETCD("etcd", "integration-tests/demo/lockfence-etcd.yaml") {
        @Override
        Path service() {
            return Build.homemadeJar();
        }

        @Override
        Server start() {
            Redis redis = Redis.start();
            Etcd etcd = Etcd.start(Etcd.Version.V3_4);
            return new Server(
                    lease -> List.of(
                            "--lock=etcd",
                            "--etcd=" + etcd.endpoint(),
                            "--redis=" + redis.address(),
                            "--lease=" + lease),
                    List.of(etcd::close, redis::close));
        }
    };

    /** How a service that was given a lease time reaches the coordinator. */
    interface Options {
        List<String> of(int leaseMillis);
    }

    /** A running coordinator. */
    record Server(Options reach, List<Runnable> closings) implements AutoCloseable {
        /** Of the service. */
        List<String> options(int leaseMillis) {
            return reach.of(leaseMillis);
        }

        @Override
        public void close() {
            closings.forEach(Runnable::run);
        }
    }

    private final String title;
    private final String rules;

    Coordinator(String title, String rules) {
        this.title = title;
        this.rules = rules;
    }

    /** For people. */
    String title() {
        return title;
    }

    /** The rules file, from the root of the repository. */
    String rules() {
        return rules;
    }

    /** The jar of the service, which is none of Lockfence's. */
    abstract Path service();

    abstract Server start();

    /** Null if none has this name. */
    static Coordinator named(String name) {
        for (Coordinator coordinator : values()) {
            if (coordinator.name().equals(name.toUpperCase(Locale.ROOT))) {
                return coordinator;
            }
        }
        return null;
    }

    static String names() {
        return Arrays.stream(values())
                .map(coordinator -> coordinator.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining("|"));
    }
}
