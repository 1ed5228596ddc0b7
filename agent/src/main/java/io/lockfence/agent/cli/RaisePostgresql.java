/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Raises fences of one PostgreSQL database, as the role that owns them: each in a transaction of its own, with its line in the audit. */
final class RaisePostgresql {
    private static final int WAIT_MILLIS = 10_000;

    private static final String AUDIT = """
            CREATE TABLE IF NOT EXISTS lockfence.audit (
              at             timestamp with time zone NOT NULL,
              by_role        text NOT NULL,
              by_address     inet,
              action         text NOT NULL,
              reason         text NOT NULL,
              resource       text COLLATE "C" NOT NULL,
              lock_name      text COLLATE "C" NOT NULL,
              old_generation integer NOT NULL,
              old_token      bigint NOT NULL,
              old_read_token bigint NOT NULL,
              old_lease_id   text COLLATE "C" NOT NULL,
              old_holder     text NOT NULL,
              new_generation integer NOT NULL,
              new_token      bigint NOT NULL
            )
            """;

    /** The lock under which the fence itself is set up. */
    private static final String DDL_LOCK =
            "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('lockfence ddl', 1819239275))";

    /** Whoever made it, it belongs to the fence's owner, who may raise the next time; and a right of PUBLIC's by default is none. */
    private static final String AUDIT_OWNER = """
            DO $lockfence$
            DECLARE
              v_owner name := (SELECT pg_catalog.pg_get_userbyid(relowner) FROM pg_catalog.pg_class WHERE oid = 'lockfence.fence'::pg_catalog.regclass);
            BEGIN
              IF v_owner <> (SELECT pg_catalog.pg_get_userbyid(relowner) FROM pg_catalog.pg_class WHERE oid = 'lockfence.audit'::pg_catalog.regclass) THEN
                EXECUTE pg_catalog.format('ALTER TABLE lockfence.audit OWNER TO %I', v_owner);
              END IF;
              REVOKE ALL ON TABLE lockfence.audit FROM PUBLIC;
            END
            $lockfence$
            """;

    private static final String FIND = """
            SELECT f.resource, f.lock_name, f.generation, f.token, f.read_token FROM lockfence.fence f
            WHERE EXISTS (SELECT FROM pg_catalog.unnest(?::pg_catalog.text[]) p WHERE f.resource LIKE p) ORDER BY f.resource COLLATE "C"
            """;

    /** A claim that is under way has gone on when this is granted, and guards have ended: nobody is overtaken in the middle of a commit. */
    private static final String LOCK = "SELECT pg_catalog.pg_advisory_xact_lock(lockfence.key(?))";

    private static final String RAISE = """
            WITH old AS (
              SELECT * FROM lockfence.fence WHERE resource = ? AND (generation, GREATEST(token, read_token)) < (?, ?) FOR UPDATE
            ), kept AS (
              INSERT INTO lockfence.audit
              SELECT pg_catalog.clock_timestamp(), session_user, pg_catalog.inet_client_addr(), 'raise', ?, resource, lock_name, generation, token, read_token,
                lease_id, holder, ?, ? FROM old
            )
            UPDATE lockfence.fence f SET generation = ?, token = ?, read_token = CASE WHEN f.generation = ? THEN f.read_token ELSE 0 END, lease_id = ?,
              holder = 'raised by ' || session_user || ': ' || ?, claimed_at = pg_catalog.clock_timestamp()
            FROM old WHERE f.resource = old.resource
            """;

    private final Connection connection;
    private final int generation;
    private final long token;
    private final String reason;

    /** @param connection of the role that owns the fence */
    RaisePostgresql(Connection connection, int generation, long token, String reason) {
        this.connection = connection;
        this.generation = generation;
        this.token = token;
        this.reason = reason;
    }

    /**
     * One that was found.
     *
     * @param token the larger of the two that it has
     */
    record Fence(String resource, String lock, int generation, long token) {
        @Override
        public String toString() {
            return resource + " (lock " + lock + "), which is at generation " + generation + ", token " + token;
        }
    }

    /** Those whose names match, in the order of their names. */
    List<Fence> find(List<String> patterns) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FIND)) {
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "text", patterns.stream().map(RaisePostgresql::like).toArray()));
            List<Fence> fences = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    fences.add(new Fence(
                            row.getString(1),
                            row.getString(2),
                            row.getInt(3),
                            Math.max(row.getLong(4), row.getLong(5))));
                }
            }
            return fences;
        }
    }

    /** Only {@code *} stands for more than itself. */
    private static String like(String pattern) {
        return pattern.replace("\\", "\\\\")
                .replace("%", "\\%")
                .replace("_", "\\_")
                .replace('*', '%');
    }

    /** Whether it is there already, or above. */
    boolean isReached(Fence fence) {
        return fence.generation() > generation || fence.generation() == generation && fence.token() >= token;
    }

    /** Makes the audit's table, where there is none. */
    void prepare() throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = " + WAIT_MILLIS);
            statement.execute(DDL_LOCK);
            statement.execute(AUDIT);
            statement.execute(AUDIT_OWNER);
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /** Raises one; false if it is there meanwhile. The table of the audit is there. */
    boolean raise(String resource) throws SQLException {
        connection.setAutoCommit(false);
        try {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
                statement.execute("SET LOCAL lock_timeout = " + WAIT_MILLIS);
                statement.execute("SET LOCAL synchronous_commit = on");
            }
            try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
                lock.setString(1, resource);
                lock.execute();
            }
            int raised = update(resource);
            connection.commit();
            return raised == 1;
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private int update(String resource) throws SQLException {
        try (PreparedStatement raise = connection.prepareStatement(RAISE)) {
            raise.setString(1, resource);
            raise.setInt(2, generation);
            raise.setLong(3, token);
            raise.setString(4, reason);
            raise.setInt(5, generation);
            raise.setLong(6, token);
            raise.setInt(7, generation);
            raise.setLong(8, token);
            raise.setInt(9, generation);
            raise.setString(10, UUID.randomUUID().toString().replace("-", ""));
            raise.setString(11, reason);
            return raise.executeUpdate();
        }
    }
}
