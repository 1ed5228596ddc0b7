/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.startup;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import io.lockfence.it.Build;
import io.lockfence.it.Jdk;
import io.lockfence.it.Postgres;
import io.lockfence.it.Redis;
import io.lockfence.it.Scenario;
import io.lockfence.it.ServiceProcess;
import io.lockfence.it.Waits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What an operator sees of a real service: log lines, summary, Flight Recorder and JMX, in each mode. */
class SeenIT {
    private static Postgres postgres;

    @TempDir
    Path folder;

    private Redis redis;
    private String database;

    static Stream<Jdk> jdks() {
        return Startup.jdks();
    }

    @BeforeAll
    static void startDatabase() {
        postgres = Postgres.start();
    }

    @AfterAll
    static void stopDatabase() {
        if (postgres != null) {
            postgres.close();
        }
    }

    @BeforeEach
    void startRedis() throws Exception {
        redis = Redis.start();
        database = postgres.createDatabase();
        postgres.createStock(database, 5);
    }

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void enforceModeShowsWhatItRefused(Jdk jdk) throws Exception {
        postgres.installFence(database);
        Path rules = Files.writeString(folder.resolve("rules.yaml"), Scenario.RULES);
        Path recording = folder.resolve("service.jfr");
        try (ServiceProcess service = stock(
                jdk,
                "-javaagent:" + Build.agentJar() + "=config=" + rules,
                "-XX:StartFlightRecording=filename=" + recording)) {
            does(service, "lock order:1 60000", "locked");
            does(service, "begin", "begun");
            does(service, "read 1", "read 0");
            does(service, "write 1", "wrote 1");
            does(service, "commit", "committed");
            does(service, "unlock order:1", "unlocked");
            outlivesItsLease(service);
            does(service, "write 1", "failed write: LF002 ");
            TreeMap<String, Object> bean = bean(service);
            assertThat(bean)
                    .containsEntry("Mode", "enforce")
                    .containsEntry("LeasesAcquired", 2L)
                    .containsEntry("RefusalsTotal", 1L)
                    .containsEntry("Refusals", Map.of("EXPIRED", 1L))
                    .containsEntry("Faults", 0L);
            ends(service);

            List<String> ours = ours(service);
            assertThat(ours.get(0))
                    .matches(
                            "lockfence: \\S+, mode enforce, rules: .*rules.yaml.* \\(1 lock rule, 1 target\\); each library is"
                                    + " reported when its classes are first loaded");
            assertThat(ours)
                    .as("libraries")
                    .anyMatch(line -> line.matches("lockfence: redisson( \\S+)?: active, full"));
            assertThat(ours)
                    .as("libraries")
                    .anyMatch(line -> line.matches("lockfence: postgresql( \\S+)?: active, full"));
            assertThat(ours.stream().filter(line -> line.contains("Lockfence refused")))
                    .as("one line for one refusal")
                    .singleElement()
                    .asString()
                    .matches(
                            "lockfence: Lockfence refused this write to stock-db \\(LF002, expired\\): the lease has ended, .* ago\\."
                                    + " Resource 'orders/2' of lock 'order:2': our token is \\d+ \\(lease [0-9a-f]{8}, .* old\\)\\. It was"
                                    + " not applied\\. Take the lock again .* \\[thread main]");
            assertThat(ours)
                    .anyMatch(line -> line.startsWith("lockfence: summary of "))
                    .contains("lockfence:   refused      1 expired (LF002)")
                    .anyMatch(line -> line.matches("lockfence:   order:\\* +2 .*"));
            assertThat(events(recording))
                    .contains(
                            "io.lockfence.LeaseAcquired",
                            "io.lockfence.Claim",
                            "io.lockfence.Guard",
                            "io.lockfence.LeaseLost",
                            "io.lockfence.Refusal");
        }
        assertThat(postgres.number(database, "SELECT value FROM stock WHERE id = 1"))
                .isEqualTo(1);
    }

    @Test
    void shadowModeSaysWhatItWouldHaveRefused() throws Exception {
        postgres.installFence(database);
        Path rules = Files.writeString(folder.resolve("rules.yaml"), Scenario.RULES.replace("enforce", "shadow"));
        try (ServiceProcess service = stock(Jdk.newest(), "-javaagent:" + Build.agentJar() + "=config=" + rules)) {
            outlivesItsLease(service);
            does(service, "write 2", "wrote 1");
            ends(service);

            assertThat(ours(service))
                    .anyMatch(line ->
                            line.startsWith("lockfence: Lockfence would have refused this write to stock-db (LF002"))
                    .anyMatch(line -> line.matches("lockfence:   would refuse \\d+ expired \\(LF002\\)"))
                    .noneMatch(line -> line.contains("Lockfence refused"));
        }
        assertThat(postgres.number(database, "SELECT value FROM stock WHERE id = 2"))
                .isEqualTo(1);
    }

    /** The fence is not even installed: nothing may ask for it. Redis and PostgreSQL are asked for the same as without the agent. */
    @Test
    void observeModeChangesNothingOutsideTheJvmAndTellsWhatItSaw() throws Exception {
        Map<String, Long> without = observed(List.of());
        Map<String, Long> with = observed(List.of("-javaagent:" + Build.agentJar()));

        assertThat(with).as("what Redis and PostgreSQL were asked for").isEqualTo(without);
    }

    private Map<String, Long> observed(List<String> agent) throws Exception {
        postgres.execute(database, "UPDATE stock SET value = 0");
        redis.command("FLUSHALL");
        redis.command("SCRIPT", "FLUSH");
        redis.command("CONFIG", "RESETSTAT");
        Map<String, Long> asked = new TreeMap<>();
        try (ServiceProcess service = stock(Jdk.newest(), agent.toArray(String[]::new))) {
            does(service, "lock order:1 60000", "locked");
            does(service, "begin", "begun");
            does(service, "read 1", "read 0");
            does(service, "write 1", "wrote 1");
            does(service, "unlock order:1", "unlocked");
            does(service, "commit", "committed");
            outlivesItsLease(service);
            does(service, "write 2", "wrote 1");
            asked.put(
                    "claim sessions",
                    postgres.number(
                            database, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lockfence'"));
            asked.put(
                    "schemas",
                    postgres.number(database, "SELECT count(*) FROM pg_namespace WHERE nspname = 'lockfence'"));
            ends(service);
            for (String line : redis.command("INFO", "commandstats").split("\r?\n")) {
                // cmdstat_evalsha:calls=3,usec=... ; EXISTS is the test's own.
                if (line.startsWith("cmdstat_")
                        && !line.startsWith("cmdstat_exists")
                        && !line.startsWith("cmdstat_ping")) {
                    asked.put(
                            line.substring(0, line.indexOf(':')),
                            Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(','))));
                }
            }
            if (!agent.isEmpty()) {
                assertThat(ours(service))
                        .anyMatch(line -> line.contains("mode observe"))
                        .anyMatch(line -> line.matches(
                                "lockfence: lock 'order:2' was held .* with a lease of .*: another holder may"
                                        + " have had it.*|lockfence:   leases .*1 expired.*"))
                        .anyMatch(line ->
                                line.matches("lockfence: lock 'order:1' was unlocked before the transaction on .* was"
                                        + " committed: .*"))
                        .anyMatch(line -> line.matches("lockfence:   too early    1 unlocked before the commit; .*"))
                        .anyMatch(line -> line.matches("lockfence:   order:\\* +2 .*"));
            }
        }
        return asked;
    }

    /** The claim pool is a HikariCP as well, and logs through slf4j: what steers the service's own must not reach it. */
    @ParameterizedTest
    @MethodSource("jdks")
    void settingsOfTheServicesOwnPoolAndLoggingDoNotReachOurs(Jdk jdk) throws Exception {
        postgres.installFence(database);
        Path rules = Files.writeString(folder.resolve("rules.yaml"), Scenario.RULES);
        Path dump = Files.createDirectory(folder.resolve("dump"));
        Path pool = Files.writeString(
                folder.resolve("hikari.properties"), "connectionInitSql=SET application_name = 'of the service'\n");
        try (ServiceProcess service = stock(
                jdk,
                "-javaagent:" + Build.agentJar() + "=config=" + rules,
                "-Dhikaricp.configurationFile=" + pool,
                "-Dslf4j.provider=org.slf4j.nop.NOPServiceProvider",
                "-Dnet.bytebuddy.dump=" + dump)) {
            does(service, "lock order:1 60000", "locked");
            does(service, "read 1", "read 0");

            String sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = '" + Postgres.SERVICE
                    + "' AND datname = current_database() AND application_name ";
            assertThat(postgres.number(database, sessions + "= 'of the service'"))
                    .isPositive();
            assertThat(postgres.number(database, sessions + "<> 'of the service'"))
                    .as("claim connections")
                    .isEqualTo(1);
            does(service, "unlock order:1", "unlocked");
            ends(service);
            assertThat(dump).isEmptyDirectory();
            assertThat(service.lines())
                    .allMatch(line -> line.startsWith("lockfence: ")
                            || line.startsWith("[main] ")
                            || line.startsWith("SLF4J(I): Attempting to load provider")
                            || line.contains("warning: Sharing is only supported"));
            assertThat(service.lines())
                    .filteredOn(line -> line.startsWith("SLF4J"))
                    .as("what slf4j says of its provider: the service's own once, ours never")
                    .hasSize(1);
        }
    }

    private ServiceProcess stock(Jdk jdk, String... options) {
        return ServiceProcess.builder("stock")
                .jdk(jdk)
                .folder(folder)
                .jvm(options)
                .jar(Build.stockJar())
                .args(
                        "--redis=" + redis.address(),
                        "--jdbc=" + postgres.jdbcUrl(database),
                        "--user=" + Postgres.SERVICE,
                        "--pool=2")
                .start();
    }

    private static void does(ServiceProcess service, String command, String answer) throws InterruptedException {
        service.send(command);
        assertThat(service.await("^\\[main] (?!ready)(.*)", Duration.ofSeconds(60))
                        .group(1))
                .as("%s\n%s", command, service.output())
                .matches(answer + ".*");
    }

    /** Takes the lock of item 2 for a second, reads it, and waits until Redis has dropped the lock. */
    private void outlivesItsLease(ServiceProcess service) throws Exception {
        does(service, "lock order:2 3000", "locked");
        does(service, "read 2", "read 0");
        Waits.until(
                "the lease has ended",
                Duration.ofSeconds(20),
                () -> redis.command("EXISTS", "order:2").equals("0"));
    }

    private static void ends(ServiceProcess service) throws InterruptedException {
        service.send("exit");
        assertThat(service.awaitExit(Startup.LIMIT)).as(service.output()).isZero();
    }

    private static List<String> ours(ServiceProcess service) {
        return service.lines().stream()
                .filter(line -> line.startsWith("lockfence: "))
                .toList();
    }

    private static List<String> events(Path recording) throws Exception {
        return RecordingFile.readAllEvents(recording).stream()
                .map(RecordedEvent::getEventType)
                .map(type -> type.getName())
                .filter(name -> name.startsWith("io.lockfence."))
                .toList();
    }

    /** All attributes of the bean, by the JVM's own local connector. */
    @SuppressWarnings("BanJNDI")
    private static TreeMap<String, Object> bean(ServiceProcess service) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(service.pid()));
        String address;
        try {
            address = machine.startLocalManagementAgent();
        } finally {
            machine.detach();
        }
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            ObjectName name = new ObjectName("io.lockfence:type=Lockfence");
            Waits.until("the bean is there", Duration.ofSeconds(20), () -> server.isRegistered(name));
            List<String> names = new ArrayList<>();
            for (var info : server.getMBeanInfo(name).getAttributes()) {
                names.add(info.getName());
            }
            TreeMap<String, Object> values = new TreeMap<>();
            for (var attribute :
                    server.getAttributes(name, names.toArray(String[]::new)).asList()) {
                values.put(attribute.getName(), plain(attribute.getValue()));
            }
            return values;
        }
    }

    private static Object plain(Object value) {
        if (!(value instanceof TabularData table)) {
            return value;
        }
        return table.values().stream()
                .map(CompositeData.class::cast)
                .collect(Collectors.toMap(row -> row.get("key"), row -> row.get("value")));
    }
}
