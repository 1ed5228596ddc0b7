/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The servers and services of one run of a story: a database of its own with items 1 to 20 at zero, a Redis of its own, and services with
 * or without the agent, on the oldest and on the newest supported JDK by turns.
 */
public final class World implements AutoCloseable {
    /** What a story can rely on: items are 1 to this. */
    public static final int ITEMS = 20;

    private static Postgres newest;
    private static Postgres oldest;

    private final boolean fenced;
    private final boolean attached;
    private final Postgres postgres;
    private final String database;
    private final Redis redis;
    private ZooKeeper zooKeeper;
    private Etcd etcd;
    private final FakeClock redisClock;
    private final Path rules;
    private final List<String> serviceOptions;
    private final List<ServiceProcess> processes = new ArrayList<>();
    private final List<Runnable> closings = new ArrayList<>();
    private final Tally tally = new Tally();

    World(boolean fenced, Scenario scenario) {
        this.fenced = fenced;
        this.attached = scenario.attached;
        this.serviceOptions = List.copyOf(scenario.serviceOptions);
        this.postgres = postgres(scenario.oldestPostgres);
        this.redisClock = scenario.fakeRedisClock ? new FakeClock() : null;
        this.redis = redisClock != null ? Redis.start(redisClock.environment()) : Redis.start();
        try {
            database = postgres.createDatabase();
            postgres.createStock(database, ITEMS);
            rules = Files.createTempFile("lockfence", ".yaml");
            Files.writeString(rules, scenario.rules);
            if (fenced) {
                postgres.installFence(database);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One server of each version for all scenarios of this JVM, which ends them. */
    private static synchronized Postgres postgres(boolean old) {
        if (old) {
            if (oldest == null) {
                oldest = Postgres.startOldest();
            }
            return oldest;
        }
        if (newest == null) {
            newest = Postgres.start();
        }
        return newest;
    }

    /** Whether this run has the agent. */
    public boolean fenced() {
        return fenced;
    }

    public Redis redis() {
        return redis;
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
        return start(prepared(name).jar(Build.stockJar()), redisPort, postgresPort, options);
    }

    /** The run's own ZooKeeper, which starts when it is asked for first. */
    public ZooKeeper zooKeeper() {
        if (zooKeeper == null) {
            zooKeeper = ZooKeeper.start();
        }
        return zooKeeper;
    }

    /** A service that takes its locks with Apache Curator, at this address. */
    public Service curator(String name, String zooKeeperAddress, String... options) {
        return homemade(
                name,
                "curator",
                Stream.concat(Stream.of("--zookeeper=" + zooKeeperAddress), Arrays.stream(options))
                        .toArray(String[]::new));
    }

    /** The run's own etcd (3.4), which starts when it is asked for first. */
    public Etcd etcd() {
        if (etcd == null) {
            etcd = Etcd.start(Etcd.Version.V3_4);
        }
        return etcd;
    }

    /** A service that takes its locks with jetcd, at this endpoint. */
    public Service etcd(String name, String endpoint) {
        return homemade(name, "etcd", "--etcd=" + endpoint);
    }

    /** A service with a lock of its own: {@code jedis}, {@code lettuce}, {@code row} and so on. */
    public Service homemade(String name, String lock, String... options) {
        return start(
                prepared(name).jar(Build.homemadeJar()),
                redis.port(),
                postgres.port(),
                Stream.concat(Stream.of("--lock=" + lock), Arrays.stream(options))
                        .toArray(String[]::new));
    }

    /** The stock service with the oldest supported Redisson, HikariCP and driver. */
    public Service oldService(String name, String... options) {
        return start(
                prepared(name).main(Build.oldestClassPath(), "com.example.stock.StockService"),
                redis.port(),
                postgres.port(),
                options);
    }

    /** A stock service on a wall clock that can jump. */
    public Service service(String name, FakeClock clock, String... options) {
        return start(
                prepared(name).environment(clock.environment()).jar(Build.stockJar()),
                redis.port(),
                postgres.port(),
                options);
    }

    /** The Spring Boot service. It starts in the background; its first request waits for it. */
    public Web spring(String name, String... options) {
        return spring(name, postgres.port(), options);
    }

    /** The Spring Boot service that reaches PostgreSQL at this port. */
    public Web spring(String name, int postgresPort, String... options) {
        String[] args = Stream.concat(
                        Stream.concat(
                                Stream.of(
                                        "--redis=" + redis.address(),
                                        "--spring.datasource.url=" + Postgres.jdbcUrl(postgresPort, database),
                                        "--spring.datasource.username=" + Postgres.SERVICE),
                                serviceOptions.stream()),
                        Arrays.stream(options))
                .toArray(String[]::new);
        ServiceProcess process =
                prepared(name).jar(Build.springJar()).args(args).start();
        processes.add(process);
        return new Web(process, tally);
    }

    /**
     * One of the services that call each other over HTTP, with or without the agent as the run is.
     *
     * @param mainClass in package {@code com.example.http}
     * @param environment added to its environment
     * @param listener told every line
     */
    public ServiceProcess http(
            String name,
            String mainClass,
            Map<String, String> environment,
            Consumer<String> listener,
            String... options) {
        ServiceProcess process = prepared(name)
                .jvm("-Xmx768m")
                .environment(environment)
                .main(Build.httpJar().toString(), "com.example.http." + mainClass)
                .args(options)
                .listener(listener)
                .start();
        processes.add(process);
        return process;
    }

    private ServiceProcess.Builder prepared(String name) {
        Jdk jdk = processes.size() % 2 == 0 ? Jdk.oldest() : Jdk.newest();
        ServiceProcess.Builder builder = ServiceProcess.builder(name).jdk(jdk).listener(line -> tally.line(name, line));
        return fenced && !attached ? builder.agent(rules) : builder;
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

    /** Brings the agent, with the rules of the story, into a service that is running; does nothing in the run without it. */
    public void attach(Service service) {
        if (fenced) {
            attachWith(service, "--rules", rules.toString()).mustBeFine();
        }
    }

    /** Attaches to a service with these options, also in the run without the agent. */
    public CommandLine attachWith(Service service, String... options) {
        return attachWith(service.process(), options);
    }

    /** Attaches to a service with these options, also in the run without the agent. */
    public CommandLine attachWith(ServiceProcess process, String... options) {
        return CommandLine.run(Stream.concat(Stream.of("attach", Long.toString(process.pid())), Arrays.stream(options))
                .toArray(String[]::new));
    }

    /** The rules file of the story. */
    public Path rules() {
        return rules;
    }

    /** A proxy in front of ZooKeeper. */
    public TcpProxy zooKeeperProxy() {
        TcpProxy proxy = new TcpProxy(zooKeeper().port());
        closings.add(proxy::close);
        return proxy;
    }

    /** A proxy in front of Redis. */
    public TcpProxy redisProxy() {
        TcpProxy proxy = new TcpProxy(redis.port());
        closings.add(proxy::close);
        return proxy;
    }

    /** A proxy in front of PostgreSQL. */
    public PostgresProxy postgresProxy() {
        PostgresProxy proxy = new PostgresProxy(postgres.port());
        closings.add(proxy::close);
        return proxy;
    }

    /** A wall clock for services. */
    public FakeClock clock() {
        FakeClock clock = new FakeClock();
        closings.add(clock::close);
        return clock;
    }

    /** The value of an item, as a reader from outside sees it. */
    public long value(int item) throws SQLException {
        return postgres.number(database, "SELECT value FROM stock WHERE id = " + item);
    }

    /** Lets a service's clock jump, and waits until the service has noticed. */
    public void jump(Service service, FakeClock clock, Duration fromTrueTime) throws InterruptedException {
        clock.jump(fromTrueTime);
        Waits.until("the clock of " + service.process().name() + " jumps", Duration.ofSeconds(20), () -> {
            long told = Long.parseLong(service.does("time").substring("time ".length()));
            return follows(told, fromTrueTime);
        });
    }

    /** Lets the clock of Redis jump, and waits until Redis has noticed. */
    public void jumpOfRedis(Duration fromTrueTime) throws InterruptedException {
        redisClock.jump(fromTrueTime);
        Waits.until("the clock of Redis jumps", Duration.ofSeconds(20), () -> {
            long told = 1_000
                    * Long.parseLong(redis.command("TIME").lines().findFirst().orElseThrow());
            return follows(told, fromTrueTime);
        });
    }

    private static boolean follows(long millis, Duration fromTrueTime) {
        return Math.abs(millis - System.currentTimeMillis() - fromTrueTime.toMillis()) < 60_000;
    }

    /** Waits until the step that the service began has been answered, or waits in the database for another transaction. */
    public void hasAnsweredOrWaits(Service service) throws InterruptedException {
        Waits.until(
                "the step is answered or waits",
                Duration.ofSeconds(20),
                () -> service.hasAnswered() || waitsInDatabase());
    }

    /** Whether something in this world's database waits for another transaction. */
    public boolean waitsInDatabase() throws SQLException {
        return postgres.number(
                        "postgres",
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '"
                                + database + "'")
                > 0;
    }

    /** Moves every counter of tokens in Redis a day ahead of its clock, and gives what they say now; 0 if there are none. */
    public long moveTokenCounters() throws IOException {
        long ahead = (System.currentTimeMillis() + Duration.ofDays(1).toMillis()) * 1_000;
        return setTokenCounters(ahead) ? ahead : 0;
    }

    /** Sets every counter of tokens in Redis; false if there are none. */
    public boolean setTokenCounters(long value) throws IOException {
        List<String> keys = tokenKeys();
        for (String key : keys) {
            redis.command("SET", key, Long.toString(value));
        }
        return !keys.isEmpty();
    }

    /** What the counters of tokens say. */
    public List<Long> tokenCounters() throws IOException {
        List<Long> counters = new ArrayList<>();
        for (String key : tokenKeys()) {
            counters.add(Long.parseLong(redis.command("GET", key)));
        }
        return counters;
    }

    private List<String> tokenKeys() throws IOException {
        String keys = redis.command("KEYS", "lockfence:token:*");
        return keys.isEmpty() ? List.of() : List.of(keys.split("\n"));
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
    public void close() throws IOException {
        processes.forEach(ServiceProcess::close);
        closings.forEach(Runnable::run);
        redis.close();
        if (zooKeeper != null) {
            zooKeeper.close();
        }
        if (etcd != null) {
            etcd.close();
        }
        if (redisClock != null) {
            redisClock.close();
        }
        Files.deleteIfExists(rules);
    }
}
