/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.agent.fence.ClaimRequest;
import io.lockfence.agent.fence.Claimed;
import io.lockfence.agent.fence.FenceRow;
import io.lockfence.agent.fence.GuardFailedException;
import io.lockfence.agent.fence.GuardItem;
import io.lockfence.agent.fence.postgresql.PostgresFence;
import io.lockfence.agent.fence.postgresql.Servers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The operator raises fences of real servers, the oldest and the newest. */
class RaiseTest {
    private final PostgresFence fence = new PostgresFence();
    private final Map<String, String> environment = new HashMap<>();
    /** Of this test alone. */
    private final String folder = "raise-" + UUID.randomUUID();

    private record Ended(int code, String out, String err) {}

    private Ended run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = new CommandLine(new Raise(environment))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .execute(arguments);
        return new Ended(code, out.toString(), err.toString());
    }

    /** As the server's superuser. */
    private Ended raise(Servers server, String resource, String... arguments) throws Exception {
        return raise(server.url(), resource, arguments);
    }

    private Ended raise(String url, String resource, String... arguments) throws Exception {
        environment.putIfAbsent("LOCKFENCE_OWNER_USER", "postgres");
        List<String> all = new ArrayList<>(List.of(
                "--driver",
                driver(),
                "--url",
                url.replaceFirst("\\?.*", ""),
                "--resource",
                resource,
                "--reason",
                "restored from a snapshot"));
        all.addAll(List.of(arguments));
        return run(all.toArray(String[]::new));
    }

    private static String driver() throws Exception {
        return Path.of(org.postgresql.Driver.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
    }

    private Claimed claim(Connection connection, String resource, int generation, long token, String lease)
            throws SQLException {
        return fence.claim(
                connection,
                new ClaimRequest(resource, "lock of " + resource, generation, token, lease, "test"),
                true,
                5_000);
    }

    private static String lease() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    @ParameterizedTest
    @EnumSource(names = {"OLDEST", "NEWEST"})
    void leasesOfALowerGenerationAreRefusedAndThoseOfTheNewOneGoOn(Servers server) throws Exception {
        String resource = folder + "/1";
        String holder = lease();
        try (Connection connection = DriverManager.getConnection(server.url())) {
            assertThat(claim(connection, resource, 0, 34, holder).held()).isTrue();
            assertThat(claim(connection, resource, 0, 13, lease()).status())
                    .as("a number that the coordinator gives once more")
                    .isEqualTo(Claimed.Status.BEHIND);

            Ended ended = raise(server, folder + "/*", "--generation", "1");

            assertThat(ended.out())
                    .contains(
                            "raised  " + resource + " (lock lock of " + resource
                                    + "), which is at generation 0, token 34",
                            "Raised to generation 1: 1; stays, as it is there or above: 0.",
                            "Set 'generation: 1' in the rule of the lock on all instances");
            assertThat(ended.code()).isZero();
            assertThat(ended.err()).isEmpty();
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> fence.guard(
                            connection, List.of(new GuardItem(resource, "lock of " + resource, 0, 34, holder, true))))
                    .isInstanceOfSatisfying(
                            GuardFailedException.class,
                            refused -> assertThat(refused.finding().row().holder())
                                    .isEqualTo("raised by postgres: restored from a snapshot"));
            connection.rollback();
            connection.setAutoCommit(true);
            assertThat(claim(connection, resource, 0, 99, lease()).status()).isEqualTo(Claimed.Status.BEHIND);
            assertThat(claim(connection, resource, 1, 13, lease()).status()).isEqualTo(Claimed.Status.CLAIMED);
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT action, by_role, reason, lock_name, old_generation, old_token, old_lease_id, old_holder, new_generation, new_token,"
                                    + " at > now() - interval '1 minute' FROM lockfence.audit WHERE resource = '"
                                    + resource + "'")) {
                assertThat(row.next()).isTrue();
                List<Object> line = new ArrayList<>();
                for (int i = 1; i <= 11; i++) {
                    line.add(row.getObject(i));
                }
                assertThat(line)
                        .containsExactly(
                                "raise",
                                "postgres",
                                "restored from a snapshot",
                                "lock of " + resource,
                                0,
                                34L,
                                holder,
                                "test",
                                1,
                                0L,
                                true);
                assertThat(row.next()).isFalse();
            }
        }
    }

    @Test
    void noFenceIsEverLowered() throws Exception {
        String resource = folder + "/1";
        try (Connection connection = DriverManager.getConnection(Servers.NEWEST.url())) {
            claim(connection, resource, 3, 7, lease());
            FenceRow before = fence.look(connection, resource).orElseThrow();

            for (String[] lower : new String[][] {
                {"--generation", "2"},
                {"--generation", "2", "--token", "1000"},
                {"--generation", "3"},
                {"--generation", "3", "--token", "7"}
            }) {
                Ended ended = raise(Servers.NEWEST, resource, lower);
                assertThat(ended.out()).contains("stays   " + resource, ": 0; stays, as it is there or above: 1.");
                assertThat(ended.code()).isZero();
            }

            FenceRow after = fence.look(connection, resource).orElseThrow();
            assertThat(List.of(after.generation(), after.token(), after.leaseId(), after.claimedAt()))
                    .isEqualTo(List.of(before.generation(), before.token(), before.leaseId(), before.claimedAt()));
            assertThat(raise(Servers.NEWEST, resource, "--generation", "3", "--token", "8")
                            .out())
                    .contains("Raised to generation 3, token 8: 1;");
            assertThat(claim(connection, resource, 3, 8, lease()).held()).isFalse();
            assertThat(claim(connection, resource, 3, 9, lease()).held()).isTrue();
        }
    }

    @Test
    void onlyWhatMatchesIsRaisedAndADryRunRaisesNothing() throws Exception {
        String one = folder + "/a%_b\\/1";
        String other = folder + "/axxb/1";
        try (Connection connection = DriverManager.getConnection(Servers.NEWEST.url())) {
            claim(connection, one, 0, 1, lease());
            claim(connection, other, 0, 1, lease());

            assertThat(raise(Servers.NEWEST, folder + "/*", "--generation", "1", "--dry-run")
                            .out())
                    .contains(
                            "would be raised   " + one,
                            "would be raised   " + other,
                            "Would be raised to generation 1: 2;");
            assertThat(fence.look(connection, one).orElseThrow().generation()).isZero();

            assertThat(raise(Servers.NEWEST, folder + "/a%_b\\/*", "--generation", "1")
                            .out())
                    .contains("Raised to generation 1: 1;");
            assertThat(fence.look(connection, one).orElseThrow().generation()).isEqualTo(1);
            assertThat(fence.look(connection, other).orElseThrow().generation()).isZero();
            Ended none = raise(Servers.NEWEST, folder + "/none", "--generation", "1");
            assertThat(none.code()).isEqualTo(1);
            assertThat(none.out()).contains("No fence here has a name like " + folder + "/none.");
        }
    }

    @Test
    void aCommitThatItsGuardHasLetByEndsFirst() throws Exception {
        String resource = folder + "/1";
        String holder = lease();
        try (Connection service = DriverManager.getConnection(Servers.NEWEST.url());
                Connection looking = DriverManager.getConnection(Servers.NEWEST.url())) {
            claim(looking, resource, 0, 5, holder);
            service.setAutoCommit(false);
            fence.guard(service, List.of(new GuardItem(resource, "lock of " + resource, 0, 5, holder, true)));

            CompletableFuture<Ended> raised = CompletableFuture.supplyAsync(() -> {
                try {
                    return raise(Servers.NEWEST, resource, "--generation", "1");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            try (Statement statement = looking.createStatement()) {
                boolean waits = false;
                while (!waits) {
                    assertThat(raised.isDone()).isFalse();
                    try (ResultSet row = statement.executeQuery(
                            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)")) {
                        row.next();
                        waits = row.getBoolean(1);
                    }
                }
            }
            service.commit();

            assertThat(raised.get(30, TimeUnit.SECONDS).out()).contains("Raised to generation 1: 1;");
        }
    }

    /** A superuser may be the first who raises; then it is the owner's turn. */
    @Test
    void theAuditBelongsToTheOwnerOfTheFenceAndToNobodyElse() throws Exception {
        String url = Servers.NEWEST.emptyDatabase("raise_owned");
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("DROP ROLE IF EXISTS raise_owner");
            statement.execute("CREATE ROLE raise_owner LOGIN");
            statement.execute("GRANT ALL ON DATABASE raise_owned TO raise_owner");
            statement.execute("ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC");
            statement.execute("SET ROLE raise_owner");
            statement.execute(new PostgresFence().ddl());
            claim(connection, folder, 0, 1, lease());
        }

        assertThat(raise(url, folder, "--generation", "1").code()).isZero();

        assertThat(Servers.ask(url, "SELECT tableowner FROM pg_tables WHERE tablename = 'audit'"))
                .isEqualTo("raise_owner");
        assertThat(
                        Servers.ask(
                                url,
                                "SELECT relacl::text LIKE '%{=%' OR relacl::text LIKE '%,=%' FROM pg_class WHERE relname = 'audit'"))
                .as("rights of PUBLIC")
                .isEqualTo("f");
        environment.put("LOCKFENCE_OWNER_USER", "raise_owner");
        assertThat(raise(url, folder, "--generation", "2").code()).isZero();
        assertThat(Servers.ask(url, "SELECT count(*) || ' ' || max(by_role) FROM lockfence.audit"))
                .isEqualTo("2 raise_owner");
    }

    @Test
    void aRoleThatDoesNotOwnTheFenceIsToldSo() throws Exception {
        try (Connection connection = DriverManager.getConnection(Servers.NEWEST.url());
                Statement statement = connection.createStatement()) {
            claim(connection, folder, 0, 1, lease());
            statement.execute("DROP ROLE IF EXISTS raise_nobody");
            statement.execute("CREATE ROLE raise_nobody LOGIN");
            environment.put("LOCKFENCE_OWNER_USER", "raise_nobody");

            Ended ended = raise(Servers.NEWEST, folder, "--generation", "1");

            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.out()).contains("permission denied", "Connect as the role that owns the fence");
            assertThat(fence.look(connection, folder).orElseThrow().generation())
                    .isZero();
            statement.execute("DROP ROLE raise_nobody");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "| which database?",
                "--url jdbc:mysql://db/orders | which database? --url jdbc:postgresql://HOST/DATABASE, not jdbc:mysql",
                "--url jdbc:postgresql://db/orders?password=x | credentials do not belong on the command line",
                "--url jdbc:postgresql://db/orders | no JDBC driver",
                "--url jdbc:postgresql://db/orders --driver d.jar | which fences?",
                "--url jdbc:postgresql://db/orders --driver d.jar --resource * | to which generation?",
                "--url jdbc:postgresql://db/orders --driver d.jar --resource * --generation -1 | to which generation?",
                "--url jdbc:postgresql://db/orders --driver d.jar --resource * --generation 1 --token -1 | a token is 0 or above",
                "--url jdbc:postgresql://db/orders --driver d.jar --resource * --generation 1 | why?",
                "--url jdbc:postgresql://db/orders --driver d.jar --resource * --generation 1 --reason r | the driver d.jar is not there",
                "--generation one | Invalid value for option '--generation'",
            })
    void wrongUsageSaysWhatIsMissing(String arguments) {
        String[] parts = arguments.split("\\|", 2);
        String given = parts[0].strip();

        Ended ended = run(given.isEmpty() ? new String[0] : given.split(" "));

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).contains(parts[1].strip());
    }
}
