/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The servers and services of one run of a story: a database of its own with items 1 to 20 at zero, a Redis of its own, and services with
 * or without the agent, on the oldest and on the newest supported JDK by turns.
 */
public final class World implements AutoCloseable {
    /** What a story can rely on: items are 1 to this. */
    public static final int ITEMS = 20;

    private static Postgres shared;

    private final boolean fenced;
    private final Postgres postgres = postgres();
    private final String database;
    private final Redis redis;
    private final FakeClock redisClock;
    private final Path rules;
    private final List<String> serviceOptions;
    private final List<ServiceProcess> processes = new ArrayList<>();
    private final List<AutoCloseable> others = new ArrayList<>();
    private final Tally tally = new Tally();

    World(boolean fenced, String rulesText, List<String> serviceOptions, boolean fakeRedisClock) {
        this.fenced = fenced;
        this.serviceOptions = serviceOptions;
        this.redisClock = fakeRedisClock ? new FakeClock() : null;
        this.redis = fakeRedisClock ? Redis.start(redisClock.environment()) : Redis.start();
        try {
            database = postgres.createDatabase();
            postgres.createStock(database, ITEMS);
            rules = Files.createTempFile("lockfence", ".yaml");
            Files.writeString(rules, rulesText);
            if (fenced) {
                postgres.installFence(database);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static synchronized Postgres postgres() {
        if (shared == null) {
            shared = Postgres.start();
        }
        return shared;
    }

    /** Whether this run has the agent. */
    public boolean fenced() {
        return fenced;
    }

    public Redis redis() {
        return redis;
    }

    /** The wall clock of Redis; only where the scenario asked for one. */
    public FakeClock redisClock() {
        return redisClock;
    }

    public Postgres database() {
        return postgres;
    }

    public String databaseName() {
        return database;
    }

    /** A stock service that is connected directly. It starts in the background; its first step waits for it. */
    public Service service(String name, String... options) {
        return service(name, redis.port(), postgres.port(), options);
    }

    /** A stock service that reaches Redis and PostgreSQL at these ports. */
    public Service service(String name, int redisPort, int postgresPort, String... options) {
        return start(
                prepared(name, redisPort, postgresPort, options).jar(Build.stockJar()),
                redisPort,
                postgresPort,
                options);
    }

    /** The stock service with the oldest supported Redisson, HikariCP and driver. */
    public Service oldService(String name, String... options) {
        return start(
                prepared(name, redis.port(), postgres.port(), options)
                        .main(Build.oldestClassPath(), "com.example.stock.StockService"),
                redis.port(),
                postgres.port(),
                options);
    }

    /** A stock service on a wall clock that can jump. */
    public Service service(String name, FakeClock clock, String... options) {
        return start(
                prepared(name, redis.port(), postgres.port(), options)
                        .environment(clock.environment())
                        .jar(Build.stockJar()),
                redis.port(),
                postgres.port(),
                options);
    }

    private ServiceProcess.Builder prepared(String name, int redisPort, int postgresPort, String... options) {
        Jdk jdk = processes.size() % 2 == 0 ? Jdk.oldest() : Jdk.newest();
        ServiceProcess.Builder builder = ServiceProcess.builder(name).jdk(jdk).listener(line -> tally.line(name, line));
        return fenced ? builder.agent(rules) : builder;
    }

    private Service start(ServiceProcess.Builder builder, int redisPort, int postgresPort, String... options) {
        String[] args = Stream.of(
                        Stream.of(
                                "--redis=redis://127.0.0.1:" + redisPort,
                                "--jdbc=" + Postgres.jdbcUrl(postgresPort, database),
                                "--user=" + Postgres.SERVICE),
                        serviceOptions.stream(),
                        Arrays.stream(options))
                .flatMap(s -> s)
                .toArray(String[]::new);
        ServiceProcess process = builder.args(args).start();
        processes.add(process);
        return new Service(process);
    }

    /** A proxy in front of Redis. */
    public TcpProxy redisProxy() {
        return closing(new TcpProxy(redis.port()));
    }

    /** A proxy in front of PostgreSQL. */
    public PostgresProxy postgresProxy() {
        return closing(new PostgresProxy(postgres.port()));
    }

    /** Closes it with this world. */
    public <T extends AutoCloseable> T closing(T resource) {
        others.add(resource);
        return resource;
    }

    /** The value of an item, as a reader from outside sees it. */
    public long value(int item) throws SQLException {
        return postgres.number(database, "SELECT value FROM stock WHERE id = " + item);
    }

    /** What came of it so far. */
    public Result result() throws SQLException {
        long stored = postgres.number(database, "SELECT sum(value) FROM stock");
        return new Result(tally.increments(), stored, tally.refusals(), tally.states(), output());
    }

    private String output() {
        StringBuilder text = new StringBuilder();
        processes.forEach(process -> text.append(process.output()));
        return text.toString();
    }

    @Override
    public void close() throws Exception {
        processes.forEach(ServiceProcess::close);
        for (AutoCloseable other : others) {
            other.close();
        }
        redis.close();
        if (redisClock != null) {
            redisClock.close();
        }
        Files.deleteIfExists(rules);
    }
}
