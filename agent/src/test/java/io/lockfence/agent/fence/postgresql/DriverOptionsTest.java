/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.lockfence.agent.fence.ClaimRequest;
import io.lockfence.agent.fence.Claimed;
import io.lockfence.agent.fence.GuardFailedException;
import io.lockfence.agent.fence.GuardItem;
import io.lockfence.agent.fence.ReleaseGuard;
import io.lockfence.bootstrap.Refusal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The service chooses the options of its driver; the fence works under each. */
class DriverOptionsTest {
    private final PostgresFence fence = new PostgresFence();
    private final String resource = "options/" + UUID.randomUUID();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ApplicationName=plain",
                "preferQueryMode=simple",
                "preferQueryMode=extendedForPrepared",
                "preferQueryMode=extendedCacheEverything",
                "autosave=always",
                "autosave=conservative",
                "autosave=always&preferQueryMode=simple",
                "autosave=always&cleanupSavepoints=true",
                "prepareThreshold=0",
                "prepareThreshold=1",
                "prepareThreshold=-1",
                "defaultRowFetchSize=1",
                "reWriteBatchedInserts=true",
                "binaryTransfer=false",
                "stringtype=unspecified",
                "logServerErrorDetail=false",
                "preparedStatementCacheQueries=0",
                "options=-c%20standard_conforming_strings=off",
                "options=-c%20standard_conforming_strings=off&preferQueryMode=simple",
                "options=-c%20search_path=nowhere",
                "options=-c%20intervalstyle=iso_8601%20-c%20datestyle=German%20-c%20timezone=Asia/Kathmandu",
                "options=-c%20bytea_output=escape%20-c%20extra_float_digits=-15"
            })
    void holderCommitsAndSupersededOneDoesNot(String options) throws Exception {
        try (Connection own = connect("ApplicationName=own");
                Connection service = connect(options)) {
            // More than the driver's threshold, so that the statements become named ones.
            for (int i = 1; i <= 7; i++) {
                String lease = "lease\\'" + i;
                ClaimRequest request = new ClaimRequest(resource, "lock \\' \"", 0, 10 * i, lease, "host\\'");
                GuardItem item = new GuardItem(resource, "lock \\' \"", 0, 10 * i, lease, true);
                GuardItem shadow = new GuardItem(resource, "lock \\' \"", 0, 1, "older", false);
                service.setAutoCommit(true);
                assertThat(fence.claim(service, request, i % 2 == 0, 100).status())
                        .isEqualTo(Claimed.Status.CLAIMED);
                service.setAutoCommit(false);

                write(service, i);
                assertThat(fence.guardAtRelease(service, List.of(item, shadow), 100, 1000))
                        .extracting(ReleaseGuard::status)
                        .containsExactly(ReleaseGuard.Status.HELD, ReleaseGuard.Status.STALE);
                assertThat(fence.guardAndCommit(service, List.of(item, shadow)))
                        .singleElement()
                        .satisfies(f -> assertThat(f.row().leaseId()).isEqualTo(lease));
                service.rollback();
                assertThat(read(own)).as("committed").isEqualTo(i);

                write(service, -i);
                ClaimRequest newer = new ClaimRequest(resource, "lock \\' \"", 0, 10 * i + 1, "newer" + i, "host");
                fence.claim(own, newer, false, 100);
                GuardFailedException refused = catchThrowableOfType(
                        GuardFailedException.class, () -> fence.guardAndCommit(service, List.of(shadow, item)));
                service.rollback();
                assertThat(refused)
                        .as("the guard let a superseded holder through")
                        .isNotNull();
                assertThat(refused.finding().refusal()).isEqualTo(Refusal.STALE);
                assertThat(refused.finding().item()).isEqualTo(item);
                if (!options.startsWith("logServerErrorDetail")) {
                    assertThat(refused.finding().row().leaseId()).isEqualTo("newer" + i);
                }
                service.setAutoCommit(true);
                assertThat(read(own)).as("rolled back").isEqualTo(i);
                assertThat(fence.look(service, resource).orElseThrow().token()).isEqualTo(10 * i + 1);
                if (i == 6) {
                    execute(service, "DISCARD ALL");
                }
            }
        }
    }

    private static Connection connect(String options) throws SQLException {
        String url = Servers.NEWEST.url();
        return java.sql.DriverManager.getConnection(url + (url.contains("?") ? '&' : '?') + options);
    }

    private void write(Connection connection, long value) throws SQLException {
        execute(
                connection,
                "INSERT INTO public.note VALUES ('" + resource + "', " + value
                        + ") ON CONFLICT (id) DO UPDATE SET value = excluded.value");
    }

    private long read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT value FROM note WHERE id = '" + resource + "'")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
