/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lockfence.agent.fence.ClaimRequest;
import io.lockfence.agent.fence.Claimed;
import io.lockfence.agent.fence.GuardItem;
import io.lockfence.agent.fence.Readiness;
import io.lockfence.agent.fence.Readiness.State;
import io.lockfence.agent.fence.ReleaseGuard;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;

/** Setting the fence up, and what the agent says where it is not. */
class FenceSetUpTest {
    private static final ClaimRequest REQUEST = new ClaimRequest("r", "lock", 0, 5, "a", "host");
    private static final List<GuardItem> ITEMS = List.of(new GuardItem("r", "lock", 0, 5, "a", true));

    private final PostgresFence fence = new PostgresFence();

    @ParameterizedTest
    @EnumSource
    void databaseWithoutAFenceSaysHowToGetOne(Servers server) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.emptyDatabase("bare"))) {
            assertThat(fence.readiness(connection))
                    .returns(State.MISSING, Readiness::state)
                    .satisfies(r -> assertThat(r.message()).contains("bare", "ddl"));
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> fence.claim(connection, REQUEST, false, 0))
                    .returns("3F000", SQLException::getSQLState);

            execute(connection, fence.ddl());
            assertThat(fence.readiness(connection)).returns(State.READY, Readiness::state);
            assertThat(fence.claim(connection, REQUEST, false, 0).status()).isEqualTo(Claimed.Status.CLAIMED);

            execute(connection, fence.ddl());
            assertThat(fence.readiness(connection)).returns(State.READY, Readiness::state);
            assertThat(fence.look(connection, "r"))
                    .as("the fence outlives the upgrade")
                    .isPresent();
        }
    }

    @ParameterizedTest
    @EnumSource
    void olderRoutinesAreReportedAndUpgradedInPlace(Servers server) throws Exception {
        try (Connection connection = DriverManager.getConnection(server.emptyDatabase("older"))) {
            execute(connection, fence.ddl());
            execute(
                    connection,
                    "CREATE OR REPLACE FUNCTION lockfence.version() RETURNS integer LANGUAGE sql AS 'SELECT 0'");
            execute(
                    connection,
                    "CREATE OR REPLACE PROCEDURE lockfence.guard(p_resources text[], p_lock_names text[], p_generations integer[],"
                            + " p_tokens bigint[], p_lease_ids text[], p_enforced boolean[], INOUT p_report text) LANGUAGE plpgsql AS"
                            + " 'BEGIN RAISE EXCEPTION ''older''; END'");
            assertThat(fence.readiness(connection).ready()).isFalse();
            assertThat(fence.readiness(connection).message()).contains("older", "ddl");

            connection.setAutoCommit(false);
            execute(connection, fence.ddl());
            connection.commit();
            connection.setAutoCommit(true);

            assertThat(fence.readiness(connection)).returns(State.READY, Readiness::state);
            fence.claim(connection, REQUEST, false, 0);
            assertThat(fence.guard(connection, ITEMS)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void serviceNeedsNoRightButToUseTheRoutines(Servers server) throws Exception {
        String url = server.emptyDatabase("rights");
        try (Connection owner = DriverManager.getConnection(url)) {
            execute(owner, "DROP ROLE IF EXISTS \"my \"\"service\"");
            execute(owner, "CREATE ROLE \"my \"\"service\" LOGIN");
            execute(owner, fence.ddl());
            String serviceUrl = url.replaceFirst("user=[^&]*", "user=my%20%22service");
            try (Connection service = DriverManager.getConnection(serviceUrl)) {
                assertThat(fence.readiness(service)).returns(State.NO_RIGHTS, Readiness::state);
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> fence.claim(service, REQUEST, false, 0))
                        .returns("42501", SQLException::getSQLState);

                execute(owner, "GRANT USAGE ON SCHEMA lockfence TO \"my \"\"service\"");
                String message = fence.readiness(service).message();
                assertThat(message).contains("GRANT USAGE ON SCHEMA lockfence TO \"my \"\"service\"");
                execute(owner, message.substring(message.indexOf("GRANT")));

                assertThat(fence.readiness(service)).returns(State.READY, Readiness::state);
                assertThat(fence.claim(service, REQUEST, true, 0).status()).isEqualTo(Claimed.Status.CLAIMED);
                assertThat(fence.claim(service, REQUEST, true, 0).status()).isEqualTo(Claimed.Status.OURS);
                service.setAutoCommit(false);
                assertThat(fence.guardAtRelease(service, ITEMS, 0, 1000))
                        .singleElement()
                        .returns(ReleaseGuard.Status.HELD, ReleaseGuard::status);
                assertThat(fence.claimInTransaction(service, REQUEST, List.of()).status())
                        .isEqualTo(Claimed.Status.OURS);
                assertThat(fence.guardAndCommit(service, ITEMS)).isEmpty();
                assertThat(fence.look(service, "r")).isPresent();
                service.rollback();
                service.setAutoCommit(true);
                for (String forbidden : List.of("SELECT * FROM lockfence.fence", "DELETE FROM lockfence.fence")) {
                    assertThatExceptionOfType(SQLException.class)
                            .isThrownBy(() -> execute(service, forbidden))
                            .returns("42501", SQLException::getSQLState);
                }

                // Whose session it is does not matter: pg_stat_activity hides the query of another user, not its
                // snapshot.
                try (Connection sibling = DriverManager.getConnection(serviceUrl)) {
                    for (Connection connection : List.of(owner, sibling)) {
                        connection.setAutoCommit(false);
                        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                        fence.readiness(connection);
                    }
                    assertThat(fence.snapshotHeld(service, pid(sibling))).isTrue();
                    assertThat(fence.snapshotHeld(service, pid(owner))).isTrue();
                    owner.rollback();
                    assertThat(fence.snapshotHeld(service, pid(owner))).isFalse();
                    owner.setAutoCommit(true);
                }

                execute(owner, fence.ddl());
                assertThat(fence.readiness(service)).as("after an upgrade").returns(State.READY, Readiness::state);
                execute(owner, "ALTER ROLE \"my \"\"service\" SET default_transaction_read_only = on");
            }
            try (Connection service = DriverManager.getConnection(serviceUrl)) {
                assertThat(fence.readiness(service)).returns(State.READ_ONLY, Readiness::state);
            }
        }
    }

    @Test
    void namesOfAServicesOwnCannotStandInForTheRoutinesOwn() throws Exception {
        try (Connection connection = DriverManager.getConnection(Servers.NEWEST.emptyDatabase("traps"))) {
            execute(connection, fence.ddl());
            execute(connection, "CREATE SCHEMA trap");
            execute(
                    connection,
                    "CREATE FUNCTION trap.pg_advisory_xact_lock(bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$");
            execute(
                    connection,
                    "CREATE FUNCTION trap.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$");
            execute(connection, "CREATE TEMP TABLE fence (LIKE lockfence.fence)");
            execute(connection, "SET search_path = trap, pg_temp, pg_catalog");

            assertThat(fence.readiness(connection)).returns(State.READY, Readiness::state);
            assertThat(fence.claim(connection, REQUEST, false, 100).status()).isEqualTo(Claimed.Status.CLAIMED);
            assertThat(fence.guard(connection, ITEMS)).isEmpty();
        }
    }

    @Test
    void serverInRecoveryIsNotClaimed(@TempDir Path directory) throws Exception {
        Path data = directory.resolve("data");
        try (EmbeddedPostgres primary = EmbeddedPostgres.builder()
                        .setDataDirectory(data)
                        .setCleanDataDirectory(false)
                        .start();
                Connection connection = DriverManager.getConnection(primary.getJdbcUrl("postgres", "postgres"))) {
            execute(connection, fence.ddl());
            fence.claim(connection, REQUEST, true, 0);
        }
        Files.createFile(data.resolve("standby.signal"));
        try (EmbeddedPostgres standby = EmbeddedPostgres.builder()
                        .setDataDirectory(data)
                        .setCleanDataDirectory(false)
                        .start();
                Connection connection = DriverManager.getConnection(standby.getJdbcUrl("postgres", "postgres"))) {
            assertThat(fence.readiness(connection)).returns(State.STANDBY, Readiness::state);
            assertThat(fence.claim(connection, REQUEST, false, 100).status()).isEqualTo(Claimed.Status.STANDBY);
            assertThat(fence.look(connection, "r")).isPresent();
            connection.setAutoCommit(false);
            assertThat(fence.claimInTransaction(connection, REQUEST, List.of()).status())
                    .isEqualTo(Claimed.Status.STANDBY);
            assertThat(fence.guardAtRelease(connection, ITEMS, 100, 1000))
                    .singleElement()
                    .returns(ReleaseGuard.Status.STANDBY, ReleaseGuard::status);
            assertThat(fence.guardAndCommit(connection, ITEMS)).isEmpty();
        }
    }

    private static int pid(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
