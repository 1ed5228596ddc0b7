/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import io.lockfence.agent.fence.ClaimRequest;
import io.lockfence.agent.fence.Claimed;
import io.lockfence.agent.fence.FenceRow;
import io.lockfence.agent.fence.FenceSql;
import io.lockfence.agent.fence.GuardFailedException;
import io.lockfence.agent.fence.GuardFinding;
import io.lockfence.agent.fence.GuardItem;
import io.lockfence.agent.fence.Readiness;
import io.lockfence.agent.fence.Readiness.State;
import io.lockfence.agent.fence.ReleaseGuard;
import io.lockfence.agent.fence.ResourceName;
import io.lockfence.agent.fence.StatementKind;
import io.lockfence.bootstrap.Refusal;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * The fence of PostgreSQL 14 to 18; its routines are in {@code ddl.sql}.
 *
 * <p>Every text of a statement is a constant, so that drivers keep it prepared. Arrays travel as text literals: that needs no type of any driver and no
 * look-up of one.
 */
public final class PostgresFence implements FenceSql {
    /** What {@code lockfence.version()} of our {@code ddl.sql} returns. */
    static final int VERSION = 2;

    private static final int OLDEST_SERVER = 140000;
    private static final int LONGEST_HOLDER = 255;

    private static final String CLAIM =
            "SELECT * FROM lockfence.claim(?::text, ?::text, ?::integer, ?::bigint, ?::text, ?::text, ?::boolean, ?::integer)";
    private static final String CLAIM_IN_TRANSACTION =
            "SELECT * FROM lockfence.claim_in_transaction(?::text, ?::text, ?::integer, ?::bigint, ?::text, ?::text, ?::text[])";
    private static final String GUARD =
            "CALL lockfence.guard(?::text[], ?::text[], ?::integer[], ?::bigint[], ?::text[], ?::boolean[], NULL::text)";
    private static final String GUARD_AND_COMMIT = GUARD + ";COMMIT";
    private static final String GUARD_AT_RELEASE =
            "SELECT * FROM lockfence.guard_at_release(?::text[], ?::text[], ?::integer[], ?::bigint[], ?::text[], ?::integer, ?::integer)"
                    + " ORDER BY item";
    private static final String LOOK = "SELECT * FROM lockfence.look(?::text)";
    private static final String READINESS = """
            SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('server_version_num')::pg_catalog.int4, current_user::pg_catalog.text,
              pg_catalog.current_setting('transaction_read_only')::pg_catalog.bool, pg_catalog.current_database()::pg_catalog.text,
              pg_catalog.has_schema_privilege(n.oid, 'USAGE'), r.version, r.there, r.executable
            FROM pg_catalog.pg_namespace n, LATERAL (
              SELECT pg_catalog.max(CASE WHEN p.proname = 'version' THEN p.prosrc END) AS version, pg_catalog.count(*) AS there,
                pg_catalog.count(*) FILTER (WHERE pg_catalog.has_function_privilege(p.oid, 'EXECUTE')) AS executable
              FROM pg_catalog.pg_proc p
              WHERE p.pronamespace = n.oid AND (p.proname::pg_catalog.text, p.pronargs) IN (('version', 0), ('look', 1), ('claim', 8),
                ('claim_in_transaction', 7), ('guard', 7), ('guard_at_release', 7))) r
            WHERE n.nspname = 'lockfence'
            UNION ALL
            SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('server_version_num')::pg_catalog.int4, current_user::pg_catalog.text,
              pg_catalog.current_setting('transaction_read_only')::pg_catalog.bool, pg_catalog.current_database()::pg_catalog.text,
              NULL, NULL, 0, 0
            WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'lockfence')
            """;
    private static final int ROUTINES = 6;

    private static final String FINDING = "lockfence LF";
    private static final int FINDING_FIELDS = 12;

    @Override
    public StatementKind kind(String sql) {
        return StatementScan.kind(sql);
    }

    @Override
    public String ddl() {
        try (InputStream in = PostgresFence.class.getResourceAsStream("ddl.sql")) {
            if (in == null) {
                throw new IllegalStateException("ddl.sql is missing beside " + PostgresFence.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Readiness readiness(Connection own) throws SQLException {
        try (PreparedStatement statement = prepare(own, READINESS);
                ResultSet row = statement.executeQuery()) {
            row.next();
            boolean standby = row.getBoolean(1);
            int server = row.getInt(2);
            String user = row.getString(3);
            boolean readOnly = row.getBoolean(4);
            String database = row.getString(5);
            boolean usage = row.getBoolean(6);
            int version = version(row.getString(7));
            int there = row.getInt(8);
            int executable = row.getInt(9);
            if (server < OLDEST_SERVER) {
                return new Readiness(
                        State.SERVER_TOO_OLD,
                        version,
                        server,
                        "the server is older than PostgreSQL 14; Lockfence needs 14 or newer");
            } else if (version == 0 || there < ROUTINES && version >= VERSION) {
                return new Readiness(
                        State.MISSING,
                        version,
                        server,
                        "database " + database
                                + " has no fence; run what `java -jar lockfence.jar ddl --database postgresql` prints there, once");
            } else if (version < VERSION) {
                return new Readiness(
                        State.OUTDATED,
                        version,
                        server,
                        "the fence of database " + database + " is of version " + version + ", this agent needs "
                                + VERSION
                                + "; run what `java -jar lockfence.jar ddl --database postgresql` prints there again");
            } else if (!usage || executable < ROUTINES) {
                String grantee = '"' + user.replace("\"", "\"\"") + '"';
                return new Readiness(
                        State.NO_RIGHTS,
                        version,
                        server,
                        "user " + user + " may not use the fence of database " + database
                                + "; run there: GRANT USAGE ON SCHEMA lockfence TO " + grantee
                                + "; GRANT EXECUTE ON ALL ROUTINES IN SCHEMA lockfence TO " + grantee);
            } else if (standby) {
                return new Readiness(
                        State.STANDBY,
                        version,
                        server,
                        "the server of database " + database
                                + " is in recovery and is not claimed; reads from it are not fenced");
            } else if (readOnly) {
                return new Readiness(
                        State.READ_ONLY,
                        version,
                        server,
                        "transactions of user " + user + " on database " + database
                                + " are read-only (default_transaction_read_only), so nothing can be claimed there");
            }
            return new Readiness(State.READY, version, server, "the fence of database " + database + " is ready");
        }
    }

    private static int version(String source) {
        if (source == null) {
            return 0;
        }
        String number =
                source.strip().toUpperCase(Locale.ROOT).replace("SELECT", "").strip();
        try {
            return Integer.parseInt(number);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    @Override
    public Claimed claim(Connection own, ClaimRequest request, boolean durable, int waitMillis) throws SQLException {
        if (!own.getAutoCommit()) {
            throw new IllegalStateException("a claim on a connection of our own is an autocommitted statement");
        }
        try (PreparedStatement statement = prepare(own, CLAIM)) {
            bind(statement, request);
            statement.setBoolean(7, durable);
            statement.setInt(8, Math.max(0, waitMillis));
            return claimed(statement);
        }
    }

    @Override
    public Claimed claimInTransaction(Connection service, ClaimRequest request, List<String> previousLeaseIds)
            throws SQLException {
        try (PreparedStatement statement = prepare(service, CLAIM_IN_TRANSACTION)) {
            bind(statement, request);
            statement.setString(7, array(previousLeaseIds, Function.identity()));
            return claimed(statement);
        }
    }

    private static void bind(PreparedStatement statement, ClaimRequest request) throws SQLException {
        statement.setString(1, ResourceName.fit(request.resource()));
        statement.setString(2, ResourceName.fit(request.lock()));
        statement.setInt(3, request.generation());
        if (request.issues()) {
            statement.setNull(4, Types.BIGINT);
        } else {
            statement.setLong(4, request.token());
        }
        statement.setString(5, request.leaseId());
        statement.setString(6, readable(request.holder()));
    }

    private static Claimed claimed(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            return new Claimed(Claimed.Status.valueOf(row.getString(1).toUpperCase(Locale.ROOT)), fence(row, 2));
        }
    }

    @Override
    public List<GuardFinding> guard(Connection service, List<GuardItem> items)
            throws SQLException, GuardFailedException {
        return guard(service, items, GUARD);
    }

    @Override
    public List<GuardFinding> guardAndCommit(Connection service, List<GuardItem> items)
            throws SQLException, GuardFailedException {
        return guard(service, items, GUARD_AND_COMMIT);
    }

    private static List<GuardFinding> guard(Connection service, List<GuardItem> items, String sql)
            throws SQLException, GuardFailedException {
        try (PreparedStatement statement = prepare(service, sql)) {
            bind(statement, items);
            statement.setString(6, array(items, item -> Boolean.toString(item.enforced())));
            statement.execute();
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                return findings(row.getString(1), items);
            }
        } catch (SQLException e) {
            GuardFinding finding = finding(e, items);
            if (finding == null) {
                throw e;
            }
            throw new GuardFailedException(finding, e);
        }
    }

    @Override
    public List<ReleaseGuard> guardAtRelease(Connection service, List<GuardItem> items, int waitMillis, int idleMillis)
            throws SQLException {
        try (PreparedStatement statement = prepare(service, GUARD_AT_RELEASE)) {
            bind(statement, items);
            statement.setInt(6, Math.max(0, waitMillis));
            statement.setInt(7, Math.max(0, idleMillis));
            List<ReleaseGuard> guards = new ArrayList<>(items.size());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    GuardItem item = items.get(row.getInt(1) - 1);
                    ReleaseGuard.Status status =
                            ReleaseGuard.Status.valueOf(row.getString(2).toUpperCase(Locale.ROOT));
                    guards.add(new ReleaseGuard(item, status, fence(row, 3)));
                }
            }
            return guards;
        }
    }

    private static void bind(PreparedStatement statement, List<GuardItem> items) throws SQLException {
        if (items.isEmpty()) {
            throw new IllegalArgumentException("a guard without a lease checks nothing");
        }
        statement.setString(1, array(items, item -> ResourceName.fit(item.resource())));
        statement.setString(2, array(items, item -> ResourceName.fit(item.lock())));
        statement.setString(3, array(items, item -> Integer.toString(item.generation())));
        statement.setString(4, array(items, item -> Long.toString(item.token())));
        statement.setString(5, array(items, GuardItem::leaseId));
    }

    @Override
    public Optional<FenceRow> look(Connection connection, String resource) throws SQLException {
        try (PreparedStatement statement = prepare(connection, LOOK)) {
            statement.setString(1, ResourceName.fit(resource));
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(fence(row, 1)) : Optional.empty();
            }
        }
    }

    @Override
    public boolean snapshotHeld(Connection own, int backendPid) throws SQLException {
        try (PreparedStatement statement = prepare(
                own, "SELECT backend_xmin IS NOT NULL FROM pg_catalog.pg_stat_activity WHERE pid = ?::integer")) {
            statement.setInt(1, backendPid);
            try (ResultSet row = statement.executeQuery()) {
                return !row.next() || row.getBoolean(1);
            }
        }
    }

    @Override
    public List<String> cursorsBefore(Connection service, Instant instant) throws SQLException {
        try (PreparedStatement statement = prepare(
                service,
                "SELECT name FROM pg_catalog.pg_cursors WHERE name <> '' AND creation_time < ?::pg_catalog.timestamptz")) {
            statement.setString(1, instant.toString());
            try (ResultSet rows = statement.executeQuery()) {
                List<String> names = new ArrayList<>();
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
                return names;
            }
        }
    }

    @Override
    public String isolation(Connection service) throws SQLException {
        try (Statement statement = service.createStatement();
                ResultSet row = statement.executeQuery("SHOW transaction_isolation")) {
            row.next();
            return row.getString(1);
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        // The service's defaultRowFetchSize would make a cursor of our few rows.
        statement.setFetchSize(0);
        return statement;
    }

    /** The fence in nine columns from the given one on; null if they are. */
    private static FenceRow fence(ResultSet row, int first) throws SQLException {
        String resource = row.getString(first);
        if (resource == null) {
            return null;
        }
        return new FenceRow(
                resource,
                row.getString(first + 1),
                row.getInt(first + 2),
                row.getLong(first + 3),
                row.getLong(first + 4),
                row.getString(first + 5),
                row.getString(first + 6),
                instant(row.getLong(first + 7)),
                Duration.of(row.getLong(first + 8), ChronoUnit.MICROS));
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static List<GuardFinding> findings(String report, List<GuardItem> items) {
        return report == null
                ? List.of()
                : report.lines().map(line -> finding(line, items)).toList();
    }

    /** What our guard raised, or null if the error is not ours. */
    private static GuardFinding finding(SQLException thrown, List<GuardItem> items) {
        Refusal refusal = Refusal.ofSqlState(thrown.getSQLState());
        String message = thrown.getMessage();
        if (refusal == null || message == null) {
            return null;
        }
        int start = message.lastIndexOf(FINDING);
        if (start >= 0) {
            int end = message.indexOf('\n', start);
            try {
                return finding(end < 0 ? message.substring(start) : message.substring(start, end), items);
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                // Not the detail, then, but a name that looks like one.
            }
        }
        // logServerErrorDetail=false keeps the detail from us; the text that is left names the lease.
        for (GuardItem item : items) {
            if (item.enforced() && message.contains(item.leaseId())) {
                return new GuardFinding(refusal, item, null);
            }
        }
        return null;
    }

    /** A line of {@code lockfence.finding}. */
    private static GuardFinding finding(String line, List<GuardItem> items) {
        String[] field = line.strip().split(" ", -1);
        Refusal refusal = Refusal.ofSqlState(field[1]);
        GuardItem item = items.get(Integer.parseInt(field[2]) - 1);
        if (field.length < FINDING_FIELDS) {
            return new GuardFinding(refusal, item, null);
        }
        return new GuardFinding(
                refusal,
                item,
                new FenceRow(
                        text(field[8]),
                        text(field[9]),
                        Integer.parseInt(field[3]),
                        Long.parseLong(field[4]),
                        Long.parseLong(field[5]),
                        text(field[10]),
                        text(field[11]),
                        instant(Long.parseLong(field[6])),
                        Duration.of(Long.parseLong(field[7]), ChronoUnit.MICROS)));
    }

    private static String text(String hex) {
        return new String(HexFormat.of().parseHex(hex, 1, hex.length()), StandardCharsets.UTF_8);
    }

    /** For people only, so that nothing hangs on what is lost. */
    private static String readable(String holder) {
        String storable = holder.replace('\0', ' ');
        return storable.length() <= LONGEST_HOLDER ? storable : storable.substring(0, LONGEST_HOLDER);
    }

    /** An array literal. */
    private static <T> String array(List<T> elements, Function<? super T, String> text) {
        StringBuilder literal = new StringBuilder(32 + 64 * elements.size()).append('{');
        for (int i = 0; i < elements.size(); i++) {
            if (i > 0) {
                literal.append(',');
            }
            literal.append('"');
            String element = text.apply(elements.get(i));
            for (int j = 0; j < element.length(); j++) {
                char c = element.charAt(j);
                if (c == '"' || c == '\\') {
                    literal.append('\\');
                }
                literal.append(c);
            }
            literal.append('"');
        }
        return literal.append('}').toString();
    }
}
