/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lockfence.agent.fence.ClaimRequest;
import io.lockfence.agent.fence.Claimed;
import io.lockfence.agent.fence.GuardItem;
import io.lockfence.agent.fence.Readiness;
import io.lockfence.agent.fence.Readiness.State;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Agents and fences of versions that differ: during an upgrade both are there. */
class FenceUpgradeTest {
    private static final ClaimRequest WITHOUT_TOKEN =
            new ClaimRequest("r", "lock", 0, null, "0123456789abcdef0123456789abcdef", "host");

    private final PostgresFence fence = new PostgresFence();

    @ParameterizedTest
    @EnumSource
    void agentsOfVersion1GoOnWhileTheFenceIsUpgraded(Servers server) throws Exception {
        String url = server.emptyDatabase("upgrade");
        try (Connection own = DriverManager.getConnection(url);
                Connection service = DriverManager.getConnection(url)) {
            execute(own, Version1.ddl());
            service.setAutoCommit(false);
            // Often enough for the driver to keep the statements prepared at the server.
            for (int round = 1; round <= 7; round++) {
                versionOneAt(10L * round, own, service);
            }

            execute(own, fence.ddl());

            for (int round = 8; round <= 14; round++) {
                versionOneAt(10L * round, own, service);
            }
            assertThat(fence.readiness(own)).returns(State.READY, Readiness::state);
        }
    }

    /** All that an agent of version 1 sends, and the answers that it knows. */
    private static void versionOneAt(long token, Connection own, Connection service) throws SQLException {
        String lease = "lease " + token;
        assertThat(Version1.claim(own, token, lease))
                .startsWith("claimed", "r", "lock", "0", Long.toString(token), "0", lease, "host")
                .hasSize(10);
        assertThat(Version1.claim(own, token, lease)).startsWith("ours").contains(lease);
        assertThat(Version1.claim(own, token - 1, "older")).startsWith("behind").contains(lease);
        assertThat(Version1.claim(own, token, "other")).startsWith("duplicate").contains(lease);
        assertThat(Version1.look(own))
                .startsWith("r", "lock", "0", Long.toString(token), "0", lease, "host")
                .hasSize(9);

        Version1.guard(service, token, lease);
        Version1.guardAndCommit(service, token, lease);
        assertRaises("LF001", () -> Version1.guardAndCommit(service, token - 1, "older"));
        service.rollback();
        assertRaises("LF005", () -> Version1.guard(service, token, "other"));
        service.rollback();
        assertRaises("LF007", () -> Version1.guard(service, token + 1, "never claimed"));
        service.rollback();

        assertThat(Version1.guardAtRelease(service, token - 1, "older"))
                .startsWith("1", "stale")
                .hasSize(11);
        assertThat(Version1.guardAtRelease(service, token, lease)).startsWith("1", "held", "r", "lock");
        assertThat(Version1.claimInTransaction(service, token + 1, lease + " again", "another"))
                .startsWith("not_held");
        assertThat(Version1.claimInTransaction(service, token + 1, lease + " again", lease))
                .startsWith("claimed", "r", "lock", "0", Long.toString(token + 1), "0", lease + " again")
                .hasSize(10);
        Version1.guardAndCommit(service, token + 1, lease + " again");
        service.rollback();
        assertThat(Version1.claim(own, token, lease)).startsWith("behind").contains(lease + " again");

        assertRaises("22023", () -> Version1.claim(own, 0, lease));
    }

    @ParameterizedTest
    @EnumSource
    void anUpgradeKeepsFencesRightsAndAsksForNoNewOnes(Servers server) throws Exception {
        String url = server.emptyDatabase("upgrade");
        try (Connection owner = DriverManager.getConnection(url)) {
            execute(owner, Version1.ddl());
            execute(owner, "DROP ROLE IF EXISTS upgraded");
            execute(owner, "CREATE ROLE upgraded LOGIN");
            execute(owner, "GRANT USAGE ON SCHEMA lockfence TO upgraded");
            execute(owner, "GRANT EXECUTE ON ALL ROUTINES IN SCHEMA lockfence TO upgraded");
            Version1.claim(owner, 5, "kept");
            execute(
                    owner,
                    "INSERT INTO lockfence.fence SELECT 'other/' || i, 'lock ' || i, i, i * 1000, i * 10, 'lease ' || i, 'host', now()"
                            + " FROM generate_series(1, 100) i");
            List<String> before = fences(owner);
            assertThat(before).hasSize(101);

            execute(owner, fence.ddl());

            assertThat(fences(owner)).isEqualTo(before);
            assertThat(number(owner, "SELECT lockfence.version()")).isEqualTo(PostgresFence.VERSION);
            try (Connection service = DriverManager.getConnection(url.replaceFirst("user=[^&]*", "user=upgraded"))) {
                assertThat(fence.readiness(service)).returns(State.READY, Readiness::state);
                Claimed claimed = fence.claim(service, WITHOUT_TOKEN, true, 1000);
                assertThat(claimed.status()).isEqualTo(Claimed.Status.CLAIMED);
                assertThat(claimed.row().token()).isGreaterThan(5);
                service.setAutoCommit(false);
                assertThat(fence.guardAndCommit(
                                service,
                                List.of(new GuardItem(
                                        "r",
                                        "lock",
                                        0,
                                        claimed.row().token(),
                                        claimed.row().leaseId(),
                                        true))))
                        .isEmpty();
            }
            execute(owner, "DROP OWNED BY upgraded");
        }
    }

    @ParameterizedTest
    @EnumSource
    void thisAgentSaysThatAFenceOfVersion1IsOldAndClaimsThereWithTokensOnly(Servers server) throws Exception {
        try (Connection own = DriverManager.getConnection(server.emptyDatabase("upgrade"))) {
            execute(own, Version1.ddl());
            assertThat(fence.readiness(own))
                    .returns(State.OUTDATED, Readiness::state)
                    .returns(1, Readiness::version)
                    .satisfies(readiness -> assertThat(readiness.message())
                            .contains("java -jar lockfence.jar ddl --database postgresql", "again"));

            ClaimRequest withToken = new ClaimRequest("r", "lock", 0, 5, "a", "host");
            assertThat(fence.claim(own, withToken, false, 1000).status()).isEqualTo(Claimed.Status.CLAIMED);
            own.setAutoCommit(false);
            GuardItem item = new GuardItem("r", "lock", 0, 5, "a", true);
            assertThat(fence.guardAtRelease(own, List.of(item), 0, 1000)).hasSize(1);
            assertThat(fence.guardAndCommit(own, List.of(item))).isEmpty();
            own.setAutoCommit(true);
            assertRaises("22023", () -> fence.claim(own, WITHOUT_TOKEN, false, 1000));
            own.setAutoCommit(false);
            assertRaises("22023", () -> fence.claimInTransaction(own, WITHOUT_TOKEN, List.of("a")));
            own.rollback();
            own.setAutoCommit(true);
            assertThat(fences(own)).singleElement().asString().contains("(r,lock,0,5,0,a,host");
        }
    }

    private static List<String> fences(Connection connection) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT f::text FROM lockfence.fence f ORDER BY resource")) {
            while (row.next()) {
                rows.add(row.getString(1));
            }
        }
        return rows;
    }

    private static int number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void assertRaises(String state, ThrowingCallable call) {
        assertThatExceptionOfType(SQLException.class).isThrownBy(call).returns(state, SQLException::getSQLState);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
