/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.fence.postgresql.PostgresFence;
import io.lockfence.agent.fence.postgresql.Servers;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The doctor at real servers, the oldest and the newest. */
class DoctorTest {
    private static final String RULES = """
            mode: enforce
            locks:
              - {name: orders, library: redisson, key: "order:{id}"}
            targets:
              - {name: orders-db, jdbc: "jdbc:postgresql://*/**"}
            """;

    @TempDir
    Path directory;

    private record Ended(int code, String out, String err) {
        String sql() {
            int start = out.indexOf("-- Run this there");
            return start < 0 ? "" : out.substring(out.indexOf('\n', start) + 1, out.lastIndexOf("\n\n"));
        }
    }

    private static final List<Servers> OLDEST_AND_NEWEST = List.of(Servers.OLDEST, Servers.NEWEST);

    /** Durable, unlike servers for tests usually are. */
    private static final Map<Servers, EmbeddedPostgres> STARTED = new EnumMap<>(Servers.class);

    private final Map<String, String> environment = new HashMap<>();
    private InstantSource clock = InstantSource.system();

    @BeforeAll
    static void start() throws IOException, SQLException {
        for (Servers server : OLDEST_AND_NEWEST) {
            EmbeddedPostgres started = durable(server.builder()).start();
            STARTED.put(server, started);
            execute(started.getJdbcUrl("postgres", "postgres"), "CREATE DATABASE doctor");
        }
    }

    @AfterAll
    static void stop() throws IOException {
        for (EmbeddedPostgres server : STARTED.values()) {
            server.close();
        }
    }

    private static EmbeddedPostgres.Builder durable(EmbeddedPostgres.Builder builder) {
        return builder.setServerConfig("fsync", "on").setServerConfig("synchronous_commit", "on");
    }

    /** The URL, as the owner, of a database without a fence. */
    private static String database(Servers server) throws SQLException {
        String url = STARTED.get(server).getJdbcUrl("postgres", "doctor");
        execute(url, "DROP SCHEMA IF EXISTS lockfence CASCADE");
        return url;
    }

    private Ended run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = new CommandLine(new Doctor(environment, clock))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .execute(arguments);
        return new Ended(code, out.toString(), err.toString());
    }

    /** With rules and the driver, as a user would. */
    private Ended doctor(String rules, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(file(rules), "--driver", driver()));
        all.addAll(List.of(arguments));
        return run(all.toArray(String[]::new));
    }

    private Ended doctor(String url) throws IOException {
        return doctor(RULES, "--url", plain(url));
    }

    private String file(String rules) throws IOException {
        return Files.writeString(directory.resolve("lockfence.yaml"), rules).toString();
    }

    private static String driver() {
        try {
            return Path.of(org.postgresql.Driver.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String plain(String url) {
        return url.replaceFirst("\\?.*", "");
    }

    private static void execute(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** A database with a fence, and the user that the doctor connects as from now on. */
    private String fenced(Servers server, String name) throws SQLException {
        String url = database(server);
        service(url, "service_" + name);
        execute(
                url,
                new PostgresFence().ddl(),
                "GRANT USAGE ON SCHEMA lockfence TO service_" + name,
                "GRANT EXECUTE ON ALL ROUTINES IN SCHEMA lockfence TO service_" + name);
        return url;
    }

    private void service(String url, String role) throws SQLException {
        execute(
                url,
                "DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = '" + role + "') THEN DROP OWNED BY " + role
                        + "; DROP ROLE " + role + "; END IF; END $$",
                "CREATE ROLE " + role + " LOGIN");
        environment.put("LOCKFENCE_DOCTOR_USER", role);
    }

    @ParameterizedTest
    @EnumSource(names = {"OLDEST", "NEWEST"})
    void aFenceThatIsReadyHasNoFindingsAndIsLeftAsItWas(Servers server) throws Exception {
        String url = fenced(server, "doctor_ready");

        Ended ended = doctor(url);

        assertThat(ended.out())
                .contains(
                        "target orders-db: " + plain(url),
                        "database doctor, as user service_doctor_ready",
                        "the fence is there: table and ",
                        "has no right to the table, as it should be",
                        "a claim and its guards work",
                        "transactions start as read committed",
                        "the server's clock is ",
                        "No findings")
                .doesNotContain("FINDING", "-- Run this");
        assertThat(ended.err()).isEmpty();
        assertThat(ended.code()).isZero();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM lockfence.fence")) {
            row.next();
            assertThat(row.getInt(1)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"OLDEST", "NEWEST"})
    void aDatabaseWithoutAFenceIsHealedByWhatIsPrinted(Servers server) throws Exception {
        String url = database(server);
        service(url, "service_doctor_bare");

        Ended ended = doctor(url);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .contains("FINDING  there is no fence in this database", "1 finding")
                .contains(new PostgresFence().ddl().strip());
        execute(url, ended.sql());
        assertThat(doctor(url))
                .returns(0, Ended::code)
                .satisfies(healed -> assertThat(healed.out()).contains("a claim and its guards work"));
    }

    @ParameterizedTest
    @EnumSource(names = {"OLDEST", "NEWEST"})
    void missingRightsAreGrantedByWhatIsPrinted(Servers server) throws Exception {
        String url = fenced(server, "doctor_rights");
        execute(url, "REVOKE EXECUTE ON FUNCTION lockfence.claim FROM service_doctor_rights");

        Ended ended = doctor(url);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out()).contains("FINDING  user service_doctor_rights may not use the fence");
        String grants = ended.out()
                .lines()
                .filter(line -> line.contains("GRANT"))
                .findFirst()
                .orElseThrow();
        execute(url, grants.substring(grants.indexOf("GRANT")));
        assertThat(doctor(url)).returns(0, Ended::code);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            DROP PROCEDURE lockfence.guard | routines of schema lockfence are missing: guard | PROCEDURE lockfence.guard(
            DROP FUNCTION lockfence.finding | are missing: finding | FUNCTION lockfence.finding(
            DROP FUNCTION lockfence.version() | are missing: version | FUNCTION lockfence.version(
            ALTER FUNCTION lockfence.claim SECURITY INVOKER | are not those of this version: claim | FUNCTION lockfence.claim(
            ALTER FUNCTION lockfence.look RESET search_path | are not those of this version: look | FUNCTION lockfence.look(
            CREATE OR REPLACE FUNCTION lockfence.key(p_resource text) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint' | are not those of this version: key | FUNCTION lockfence.key(
            """)
    void aRoutineThatIsMissingOrChangedIsPrintedAlone(String damage, String said, String printed) throws Exception {
        for (Servers server : OLDEST_AND_NEWEST) {
            String url = fenced(server, "doctor_routine");
            execute(url, damage);

            Ended ended = doctor(url);

            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.out()).contains(said);
            assertThat(ended.sql()).contains("CREATE OR REPLACE " + printed).containsOnlyOnce("CREATE OR REPLACE");
            execute(url, ended.sql());
            assertThat(doctor(url).out()).contains("No findings");
        }
    }

    /** Makes the fence say that it is of the version before this one's. */
    private static String older() {
        String ours = new DoctorDdl(new PostgresFence().ddl())
                .routines()
                .get("version")
                .body()
                .replaceAll("\\D", "");
        return "CREATE OR REPLACE FUNCTION lockfence.version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT "
                + (Integer.parseInt(ours) - 1) + "'";
    }

    @ParameterizedTest
    @EnumSource(names = {"OLDEST", "NEWEST"})
    void anOlderFenceIsBroughtUpToDateByWhatIsPrinted(Servers server) throws Exception {
        String url = fenced(server, "doctor_older");
        execute(url, older());
        execute(url, "DROP PROCEDURE lockfence.guard");

        Ended ended = doctor(url);

        assertThat(ended.code()).isEqualTo(1);
        execute(url, ended.sql());
        assertThat(doctor(url)).returns(0, Ended::code);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ALTER TABLE lockfence.fence DROP CONSTRAINT fence_pkey | no primary key on resource
            ALTER TABLE lockfence.fence ADD COLUMN more text | has other columns than it should
            ALTER TABLE lockfence.fence ALTER COLUMN generation TYPE bigint | has other columns than it should
            ALTER TABLE lockfence.fence SET UNLOGGED | UNLOGGED: a crash of the server empties it
            ALTER TABLE lockfence.fence FORCE ROW LEVEL SECURITY | row security is forced
            CREATE RULE mine AS ON DELETE TO lockfence.fence DO ALSO NOTHING | triggers or rules on lockfence.fence
            DROP TABLE lockfence.fence CASCADE | the table lockfence.fence is missing
            """)
    void aTableOfAnotherShapeIsAFinding(String damage, String said) throws Exception {
        for (Servers server : OLDEST_AND_NEWEST) {
            String url = fenced(server, "doctor_table");
            execute(url, damage);

            Ended ended = doctor(url);

            assertThat(ended.out()).contains(said);
            assertThat(ended.code()).isEqualTo(1);
        }
    }

    @Test
    void anOwnerThatLostItsRightsIsAFinding() throws Exception {
        String url = fenced(Servers.NEWEST, "doctor_owner");
        execute(
                url,
                "DROP ROLE IF EXISTS fence_owner",
                "CREATE ROLE fence_owner",
                "ALTER FUNCTION lockfence.claim OWNER TO fence_owner");

        Ended ended = doctor(url);
        execute(url, "DROP OWNED BY fence_owner CASCADE", "DROP ROLE fence_owner");

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .contains(
                        "lockfence.claim runs with the rights of fence_owner, who may not read and write lockfence.fence",
                        "a claim and its guards, tried in a transaction, fail: ERROR: permission denied",
                        "(42501)");
    }

    @Test
    void aClaimThatATriggerBreaksFails() throws Exception {
        String url = fenced(Servers.NEWEST, "doctor_trigger");
        execute(
                url,
                "CREATE OR REPLACE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
                "CREATE TRIGGER swallow BEFORE INSERT ON lockfence.fence FOR EACH ROW EXECUTE FUNCTION swallow()");

        Ended ended = doctor(url);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out()).contains("triggers or rules on lockfence.fence", "tried in a transaction, fail");
    }

    @ParameterizedTest
    @EnumSource(names = {"OLDEST", "NEWEST"})
    void settingsThatMatterAreNoted(Servers server) throws Exception {
        String url = fenced(server, "doctor_settings");
        execute(
                url,
                "ALTER ROLE service_doctor_settings SET default_transaction_isolation = 'repeatable read'",
                "ALTER ROLE service_doctor_settings SET synchronous_commit = off",
                "ALTER ROLE service_doctor_settings SET lock_timeout = '200ms'",
                "ALTER ROLE service_doctor_settings CONNECTION LIMIT 10");

        Ended ended = doctor(url);

        assertThat(ended.out())
                .contains(
                        "transactions start as repeatable read",
                        "synchronous_commit is off",
                        "lock_timeout is 200 ms",
                        "may have 10 connections",
                        "a claim and its guards work",
                        "No findings, 4 notes.");
        assertThat(ended.code()).isZero();
    }

    @Test
    void aUserWhoseTransactionsAreReadOnlyIsAFinding() throws Exception {
        String url = fenced(Servers.NEWEST, "doctor_readonly");
        execute(url, "ALTER ROLE service_doctor_readonly SET default_transaction_read_only = on");

        assertThat(doctor(url))
                .returns(1, Ended::code)
                .satisfies(ended -> assertThat(ended.out()).contains("are read-only here"));
    }

    @Test
    void aSuperuserShowsNothingOfTheServicesRights() throws Exception {
        String url = fenced(Servers.NEWEST, "doctor_super");
        environment.put("LOCKFENCE_DOCTOR_USER", "postgres");

        assertThat(doctor(url))
                .returns(0, Ended::code)
                .satisfies(
                        ended -> assertThat(ended.out()).contains("postgres is a superuser", "run doctor as the user"));
    }

    @Test
    void aUserWithMoreRightsThanItNeedsIsNoted() throws Exception {
        String url = fenced(Servers.NEWEST, "doctor_more");
        execute(url, "GRANT INSERT ON lockfence.fence TO service_doctor_more");

        assertThat(doctor(url))
                .returns(0, Ended::code)
                .satisfies(ended -> assertThat(ended.out()).contains("may write the table lockfence.fence itself"));
    }

    @Test
    void aStandbyIsAFinding(@TempDir Path data) throws Exception {
        environment.put("LOCKFENCE_DOCTOR_USER", "postgres");
        try (EmbeddedPostgres primary = durable(EmbeddedPostgres.builder())
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .start()) {
            execute(primary.getJdbcUrl("postgres", "postgres"), new PostgresFence().ddl());
        }
        Files.createFile(data.resolve("standby.signal"));
        try (EmbeddedPostgres standby = durable(EmbeddedPostgres.builder())
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .start()) {
            assertThat(doctor(standby.getJdbcUrl("postgres", "postgres")))
                    .returns(1, Ended::code)
                    .satisfies(ended -> assertThat(ended.out())
                            .contains("is a standby (in recovery)", "give the URL of the primary", "1 finding"));
        }
    }

    @Test
    void aClockThatIsOffIsAFinding() throws Exception {
        String url = fenced(Servers.NEWEST, "doctor_clock");
        clock = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(-1));

        assertThat(doctor(url))
                .returns(1, Ended::code)
                .satisfies(ended -> assertThat(ended.out())
                        .containsPattern("the server's clock is (59|60)\\d\\d\\d ms ahead of this machine's")
                        .contains("synchronise both machines"));
    }

    @Test
    void aServerThatIsNotThereIsAFinding() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }

        assertThat(doctor("jdbc:postgresql://localhost:" + port + "/orders"))
                .returns(1, Ended::code)
                .satisfies(
                        ended -> assertThat(ended.out()).contains("FINDING  failed: ", "look whether host and port"));
    }

    @Test
    void aServerThatSaysNothingIsNotWaitedForLong() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            long start = System.nanoTime();

            Ended ended = doctor("jdbc:postgresql://localhost:" + silent.getLocalPort() + "/orders");

            assertThat(ended.code()).isEqualTo(1);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
        }
    }

    @Test
    void aDatabaseThatIsNotThereIsAFinding() throws Exception {
        environment.put("LOCKFENCE_DOCTOR_USER", "postgres");

        assertThat(doctor(plain(STARTED.get(Servers.NEWEST).getJdbcUrl("postgres", "postgres"))
                        .replaceFirst("/postgres$", "/nowhere")))
                .returns(1, Ended::code)
                .satisfies(ended -> assertThat(ended.out()).contains("(3D000)", "look at the name of the database"));
    }

    @Test
    void passwordsComeFromTheEnvironmentAndAreNeverPrinted() throws Exception {
        String url = fenced(Servers.NEWEST, "doctor_password");
        execute(url, "ALTER ROLE service_doctor_password PASSWORD 'open-sesame'");
        Path hba;
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW hba_file")) {
            row.next();
            hba = Path.of(row.getString(1));
        }
        String before = Files.readString(hba);
        Files.writeString(hba, "host all service_doctor_password all scram-sha-256\n" + before);
        try {
            execute(url, "SELECT pg_reload_conf()");
            environment.put("LOCKFENCE_DOCTOR_PASSWORD", "hush-hush");
            Ended wrong = doctor(url);
            assertThat(wrong.code()).isEqualTo(1);
            assertThat(wrong.out() + wrong.err())
                    .contains("(28P01)", "look at LOCKFENCE_DOCTOR_USER and LOCKFENCE_DOCTOR_PASSWORD")
                    .doesNotContain("hush-hush");

            environment.put("LOCKFENCE_DOCTOR_PASSWORD_ORDERS_DB", "open-sesame");
            Ended right = doctor(url);
            assertThat(right.code()).isZero();
            assertThat(right.out() + right.err()).doesNotContain("open-sesame");

            // In a URL of the environment they are fine too, and not printed either.
            environment.keySet().removeIf(name -> !name.equals("LOCKFENCE_DOCTOR_URL"));
            environment.put("LOCKFENCE_DOCTOR_URL", plain(url) + "?user=service_doctor_password&password=open-sesame");
            Ended inUrl = doctor(RULES, new String[0]);
            assertThat(inUrl.code()).isZero();
            assertThat(inUrl.out() + inUrl.err()).doesNotContain("open-sesame");
        } finally {
            Files.writeString(hba, before);
            execute(STARTED.get(Servers.NEWEST).getJdbcUrl("postgres", "postgres"), "SELECT pg_reload_conf()");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db/orders?user=me",
                "jdbc:postgresql://db/orders?ssl=true&password=hush",
                "orders-db=jdbc:postgresql://db/orders?sslpassword=hush",
                "jdbc:postgresql://me:hush@db/orders"
            })
    void credentialsOnTheCommandLineAreRefused(String url) throws IOException {
        assertThat(doctor(RULES, "--url", url))
                .returns(2, Ended::code)
                .satisfies(ended -> assertThat(ended.err())
                        .contains("credentials do not belong on the command line", "LOCKFENCE_DOCTOR_PASSWORD")
                        .doesNotContain("hush"));
    }

    @Test
    void whatIsMissingOnTheCommandLineIsSaid() throws Exception {
        String rules = file(RULES);

        assertThat(run(rules, "--driver", driver()))
                .returns(2, Ended::code)
                .satisfies(ended -> assertThat(ended.err()).contains("no database to look at", "--url jdbc:"));
        assertThat(run(rules, "--url", "jdbc:postgresql://db/orders"))
                .returns(2, Ended::code)
                .satisfies(ended -> assertThat(ended.err()).contains("no JDBC driver", "--driver postgresql-"));
        assertThat(run(rules, "--url", "db/orders"))
                .returns(2, Ended::code)
                .satisfies(ended -> assertThat(ended.err()).contains("--url needs a JDBC URL"));
        assertThat(run(rules, "--driver", driver(), "--url", "stock-db=jdbc:postgresql://db/orders"))
                .returns(2, Ended::code)
                .satisfies(ended ->
                        assertThat(ended.err()).contains("no database target 'stock-db'; they have orders-db"));
        assertThat(run(rules, "--driver", driver(), "--url", "jdbc:mysql://db/orders"))
                .returns(2, Ended::code)
                .satisfies(ended -> assertThat(ended.err()).contains("starts with jdbc:postgresql:"));
    }

    @Test
    void aDriverThatIsNoneIsSaid() throws Exception {
        String url = "jdbc:postgresql://db/orders";
        Path text = Files.writeString(directory.resolve("text.jar"), "text");
        Path other = directory.resolve("other.jar");
        Path service = directory.resolve("service.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(other))) {
            zip.putNextEntry(new ZipEntry("x"));
        }
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(service))) {
            zip.putNextEntry(new ZipEntry("BOOT-INF/lib/"));
        }
        Map.of(
                        directory.resolve("none.jar"),
                        "is not there",
                        text,
                        "is not a jar",
                        other,
                        "no JDBC driver for such URLs",
                        service,
                        "take its driver out, unzip -j")
                .forEach((jar, said) -> assertThat(run(lockfence(), "--driver", jar.toString(), "--url", url))
                        .returns(2, Ended::code)
                        .satisfies(ended -> assertThat(ended.err()).contains(said)));
    }

    private String lockfence() {
        try {
            return file(RULES);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void brokenRulesAreShownAsCheckShowsThem() throws Exception {
        assertThat(doctor("mode: enforced\n", new String[0]))
                .returns(1, Ended::code)
                .satisfies(ended -> assertThat(ended.out()).contains(":1:7: 'mode' is 'enforced'"));
    }

    @Test
    void urlsThatTheRulesDoNotMeanAreFindings() throws Exception {
        String url = plain(fenced(Servers.NEWEST, "doctor_rules"));
        String rules = """
                mode: observe
                locks:
                  - {name: orders, library: redisson, key: "order:{id}", protects: [orders-db]}
                targets:
                  - {name: wide, jdbc: "jdbc:postgresql://*/doc*"}
                  - {name: orders-db, jdbc: "jdbc:postgresql://*/orders"}
                """;

        Ended ended = doctor(
                rules,
                "--url",
                "orders-db=" + url,
                "--url",
                url.replace("/doctor", "/postgres"),
                "--url",
                "wide=" + url);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .contains(
                        "to the agent this is target wide, whose pattern jdbc:postgresql://*/doc* matches first",
                        "no target: ",
                        "no target of the rules matches this URL",
                        "no lock protects this target",
                        "In mode observe nothing is claimed yet");
    }

    @Test
    void everyTargetIsLookedAtOrNamed() throws Exception {
        String url = plain(fenced(Servers.NEWEST, "doctor_all"));
        environment.put("LOCKFENCE_DOCTOR_URL_C_3", url.replace("/doctor", "/c"));
        String rules = """
                targets:
                  - {name: "written out", jdbc: "%s"}
                  - {name: "b 2", jdbc: "jdbc:postgresql://*/b"}
                  - {name: c-3, jdbc: "jdbc:postgresql://*/c"}
                """.formatted(url);

        Ended ended = doctor(rules, new String[0]);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .contains(
                        "target written out: " + url,
                        "a claim and its guards work",
                        "target c-3: " + url.replace("/doctor", "/c"),
                        "(3D000)",
                        "target b 2: jdbc:postgresql://*/b",
                        "not looked at",
                        "--url 'b 2'=jdbc:postgresql://HOST/DATABASE",
                        "2 findings");
    }
}
