/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.agent.fence.ClaimRequest;
import io.lockfence.agent.fence.Claimed;
import io.lockfence.agent.fence.FenceRow;
import io.lockfence.agent.fence.GuardFailedException;
import io.lockfence.agent.fence.GuardFinding;
import io.lockfence.agent.fence.GuardItem;
import io.lockfence.bootstrap.Refusal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The fence of a real PostgreSQL, seen through its Java face. */
@ParameterizedClass
@EnumSource
class PostgresFenceTest {
    private static final int WAIT = 1000;

    private final PostgresFence fence = new PostgresFence();
    private final String resource = "orders/" + UUID.randomUUID();
    private final Servers server;
    private Connection own;
    private Connection service;

    PostgresFenceTest(Servers server) {
        this.server = server;
    }

    @BeforeEach
    void connect() throws SQLException {
        own = server.connect();
        service = server.connect();
        service.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        own.close();
        service.close();
    }

    @Test
    void firstClaimTakesTheFenceAndShowsIt() throws SQLException {
        Claimed claimed = claim(5, "a");

        assertThat(claimed.status()).isEqualTo(Claimed.Status.CLAIMED);
        assertThat(claimed.row())
                .returns(resource, FenceRow::resource)
                .returns("lock", FenceRow::lock)
                .returns(0, FenceRow::generation)
                .returns(5L, FenceRow::token)
                .returns(0L, FenceRow::readToken)
                .returns("a", FenceRow::leaseId)
                .returns("host/1/main", FenceRow::holder);
        assertThat(claimed.row().age()).isBetween(java.time.Duration.ZERO, java.time.Duration.ofSeconds(10));
        assertThat(fence.look(own, resource))
                .hasValueSatisfying(row ->
                        assertThat(row.claimedAt()).isEqualTo(claimed.row().claimedAt()));
    }

    @Test
    void repeatedClaimOfTheSameLeaseIsOurs() throws SQLException {
        Claimed first = claim(5, "a");

        assertThat(claim(5, "a").status()).isEqualTo(Claimed.Status.OURS);
        Claimed durable = fence.claim(own, request(resource, "lock", 0, 5, "a"), true, WAIT);
        assertThat(durable.status()).isEqualTo(Claimed.Status.OURS);
        assertThat(durable.row().claimedAt()).isEqualTo(first.row().claimedAt());
    }

    @Test
    void higherTokenTakesTheFenceAndLowerOneIsBehind() throws SQLException {
        claim(5, "a");

        assertThat(claim(6, "b").status()).isEqualTo(Claimed.Status.CLAIMED);
        Claimed late = claim(5, "a");
        assertThat(late.status()).isEqualTo(Claimed.Status.BEHIND);
        assertThat(late.row().token()).isEqualTo(6);
        assertThat(late.row().leaseId()).isEqualTo("b");
    }

    private Claimed claim(long token, String leaseId) throws SQLException {
        return fence.claim(own, request(resource, "lock", 0, token, leaseId), false, WAIT);
    }

    private static ClaimRequest request(String resource, String lock, int generation, long token, String leaseId) {
        return new ClaimRequest(resource, lock, generation, token, leaseId, "host/1/main");
    }

    private GuardItem item(long token, String leaseId) {
        return new GuardItem(resource, "lock", 0, token, leaseId, true);
    }

    @Test
    void guardOfTheHolderCommitsTogetherWithTheWrite() throws Exception {
        claim(5, "a");
        write(service, 1);

        assertThat(fence.guardAndCommit(service, List.of(item(5, "a")))).isEmpty();

        assertThat(read(own)).isEqualTo(1);
    }

    @Test
    void guardOfASupersededHolderKeepsItsWriteOut() throws Exception {
        claim(5, "a");
        write(service, 1);
        claim(6, "b");

        assertThatThrownBy(() -> fence.guardAndCommit(service, List.of(item(5, "a"))))
                .isInstanceOfSatisfying(
                        GuardFailedException.class,
                        e -> assertThat(e.finding())
                                .returns(Refusal.STALE, GuardFinding::refusal)
                                .returns(item(5, "a"), GuardFinding::item)
                                .satisfies(f -> assertThat(f.row())
                                        .returns(6L, FenceRow::token)
                                        .returns("b", FenceRow::leaseId)
                                        .returns(resource, FenceRow::resource)));

        service.rollback();
        assertThat(read(own)).isZero();
    }

    private void write(Connection connection, long value) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO note VALUES ('" + resource + "', " + value
                    + ") ON CONFLICT (id) DO UPDATE SET value = excluded.value");
        }
    }

    private long read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT value FROM note WHERE id = '" + resource + "'")) {
            return row.next() ? row.getLong(1) : 0;
        }
    }
}
