/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static io.lockfence.agent.cli.DoctorFinding.finding;
import static io.lockfence.agent.cli.DoctorFinding.note;
import static io.lockfence.agent.cli.DoctorFinding.ok;

import io.lockfence.agent.config.Durations;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.fence.FenceSql;
import io.lockfence.agent.fence.GuardFailedException;
import io.lockfence.agent.fence.GuardItem;
import io.lockfence.agent.fence.Readiness;
import io.lockfence.agent.fence.ReleaseGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * Looks at one PostgreSQL database through one connection: whether what the protocol relies on there (DESIGN 2.2) is as it should be. Changes nothing: its only
 * writes are rolled back.
 */
final class DoctorPostgresql {
    /** Names, types and whether they may be null, in the order of the table. */
    private static final List<String> COLUMNS = List.of(
            "resource text not null",
            "lock_name text not null",
            "generation integer not null",
            "token bigint not null",
            "read_token bigint not null",
            "lease_id text not null",
            "holder text not null",
            "claimed_at timestamp with time zone not null");

    private static final int NEWEST_TESTED = 18;
    private static final int CLAIM_CONNECTIONS = 4;
    private static final Duration CLOCKS = Duration.ofSeconds(5);
    private static final Duration SHORT_WAIT = Duration.ofSeconds(1);

    private final Connection connection;
    private final FenceSql fence;
    private final DoctorDdl ddl;
    private final Rules rules;
    private final InstantSource clock;
    private final List<DoctorFinding> findings = new ArrayList<>();
    private String missing = "";
    private String user = "";
    private boolean superuser;

    /** @param clock of this machine */
    DoctorPostgresql(Connection connection, FenceSql fence, Rules rules, InstantSource clock) {
        this.connection = connection;
        this.clock = clock;
        this.fence = fence;
        this.ddl = new DoctorDdl(fence.ddl());
        this.rules = rules;
    }

    /** What was found, in the order of looking. */
    List<DoctorFinding> findings() {
        return findings;
    }

    /** The SQL that the database lacks; empty if it lacks nothing. */
    String missing() {
        return missing;
    }

    /** Looks at everything. Two databases are never mixed up: one object, one connection. */
    void examine() throws SQLException {
        connection.setAutoCommit(true);
        server();
        Readiness readiness = fence.readiness(connection);
        if (readiness.state() == Readiness.State.SERVER_TOO_OLD) {
            findings.add(finding(readiness.message(), "move the database to PostgreSQL 14 or newer"));
            return;
        }
        fence(readiness);
        if (readiness.ready() && missing.isEmpty()) {
            trial();
        }
        settings();
        clocks();
    }

    private void server() throws SQLException {
        try (ResultSet row = query("""
                SELECT pg_catalog.current_database(), current_user::pg_catalog.text, pg_catalog.current_setting('server_version'),
                  pg_catalog.current_setting('server_version_num')::pg_catalog.int4 / 10000, r.rolsuper
                FROM pg_catalog.pg_roles r WHERE r.rolname = current_user
                """)) {
            row.next();
            user = row.getString(2);
            superuser = row.getBoolean(5);
            findings.add(ok("connected to PostgreSQL " + row.getString(3) + ", database " + row.getString(1)
                    + ", as user " + user));
            if (row.getInt(4) > NEWEST_TESTED) {
                findings.add(note(
                        "PostgreSQL " + row.getInt(4) + " is newer than what this version was tested with ("
                                + NEWEST_TESTED + ")",
                        "try it in mode shadow first"));
            }
        }
    }

    private void fence(Readiness readiness) throws SQLException {
        if (!schema()) {
            lacks(ddl.all());
            findings.add(finding(
                    "there is no fence in this database: the schema 'lockfence' is missing",
                    "run the SQL below there once, as the role that is to own the fence"));
            return;
        }
        switch (readiness.state()) {
            case OUTDATED -> {
                lacks(ddl.all());
                findings.add(
                        finding(
                                "the fence's routines are of version " + readiness.version()
                                        + ", older than this Lockfence",
                                "run the SQL below there, as the fence's owner; the fences are kept, and services may go on working"));
            }
            case NO_RIGHTS ->
                findings.add(finding(
                        "user " + user + " may not use the fence", "run there, as the fence's owner: " + grants()));
            case STANDBY ->
                findings.add(finding(
                        "this server is a standby (in recovery): it is never claimed, and reads from it are not fenced",
                        "give the URL of the primary; a service that writes needs it too"));
            case READ_ONLY ->
                findings.add(
                        finding(
                                "transactions of user " + user + " are read-only here, so nothing can be claimed",
                                "look for default_transaction_read_only in the server's configuration, ALTER DATABASE and ALTER ROLE"));
            case READY, MISSING, SERVER_TOO_OLD -> {}
        }
        boolean shape = table() & routines(readiness.state() == Readiness.State.OUTDATED);
        if (shape && readiness.state() != Readiness.State.OUTDATED) {
            findings.add(ok("the fence is there: table and " + ddl.routines().size() + " routines, version "
                    + readiness.version()));
        }
        if (missing.isEmpty() && readiness.state() != Readiness.State.NO_RIGHTS) {
            rights();
        }
    }

    private boolean schema() throws SQLException {
        try (ResultSet row = query("SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'lockfence'")) {
            return row.next();
        }
    }

    private void lacks(String sql) {
        missing = superuser ? sql : sql + "\n\n" + grants();
    }

    private String grants() {
        String grantee = '"' + user.replace("\"", "\"\"") + '"';
        return "GRANT USAGE ON SCHEMA lockfence TO " + grantee
                + "; GRANT EXECUTE ON ALL ROUTINES IN SCHEMA lockfence TO " + grantee + ";";
    }

    /** Whether the table is as it should be. */
    private boolean table() throws SQLException {
        int before = problems();
        try (ResultSet row = query("""
                SELECT c.relkind::pg_catalog.text, c.relpersistence::pg_catalog.text, c.relforcerowsecurity,
                  EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)
                    OR EXISTS (SELECT FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid),
                  (SELECT pg_catalog.string_agg(a.attname, ',' ORDER BY k.n) FROM pg_catalog.pg_index i,
                     pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY k(attnum, n), pg_catalog.pg_attribute a
                   WHERE i.indrelid = c.oid AND i.indisprimary AND a.attrelid = c.oid AND a.attnum = k.attnum),
                  (SELECT pg_catalog.array_to_string(pg_catalog.array_agg(a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod)
                     || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END ORDER BY a.attnum), ', ')
                   FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
                FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = 'lockfence' AND c.relname = 'fence'
                """)) {
            if (!row.next()) {
                lacks(ddl.all());
                findings.add(finding(
                        "the table lockfence.fence is missing", "run the SQL below there, as the fence's owner"));
                return false;
            }
            String remake =
                    "stop the services, drop the table (its rows are the fences of living leases), and run what `java -jar lockfence.jar ddl --database postgresql` prints";
            String columns = row.getString(6);
            if (!row.getString(1).equals("r")) {
                findings.add(finding("lockfence.fence is not an ordinary table", remake));
            } else if (!columns.equals(String.join(", ", COLUMNS))) {
                findings.add(finding(
                        "the table lockfence.fence has other columns than it should: " + columns + "; expected "
                                + String.join(", ", COLUMNS),
                        remake));
            } else if (!"resource".equals(row.getString(5))) {
                findings.add(finding(
                        "the table lockfence.fence has no primary key on resource, so that two fences of one resource may exist",
                        remake));
            }
            if (row.getString(2).equals("u")) {
                findings.add(finding(
                        "the table lockfence.fence is UNLOGGED: a crash of the server empties it, and late holders are no longer refused",
                        "run there, as the fence's owner: ALTER TABLE lockfence.fence SET LOGGED"));
            }
            if (row.getBoolean(3)) {
                findings.add(finding(
                        "row security is forced on lockfence.fence, so that its routines may not see all fences",
                        "run there, as the fence's owner: ALTER TABLE lockfence.fence NO FORCE ROW LEVEL SECURITY"));
            }
            if (row.getBoolean(4)) {
                findings.add(finding(
                        "somebody has put triggers or rules on lockfence.fence: they run in each claim and may change it",
                        "drop them"));
            }
        }
        return problems() == before;
    }

    /** Whether the routines are as they should be. */
    private boolean routines(boolean outdated) throws SQLException {
        int before = problems();
        Set<String> seen = new LinkedHashSet<>();
        Set<String> changed = new LinkedHashSet<>();
        try (ResultSet row = query("""
                SELECT p.proname::pg_catalog.text, pg_catalog.pg_get_function_arguments(p.oid), pg_catalog.pg_get_function_result(p.oid), p.prosecdef, p.prosrc,
                  EXISTS (SELECT FROM pg_catalog.unnest(p.proconfig) c WHERE c LIKE 'search_path=%'),
                  o.rolname::pg_catalog.text, pg_catalog.has_table_privilege(o.oid, c.oid, 'SELECT') AND pg_catalog.has_table_privilege(o.oid, c.oid, 'INSERT')
                    AND pg_catalog.has_table_privilege(o.oid, c.oid, 'UPDATE')
                FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace JOIN pg_catalog.pg_roles o ON o.oid = p.proowner
                  LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = 'fence'
                WHERE n.nspname = 'lockfence' ORDER BY p.proname
                """)) {
            while (row.next()) {
                DoctorDdl.Routine routine = ddl.routines().get(row.getString(1));
                if (routine == null || !arguments(row.getString(2)).equals(routine.arguments())) {
                    continue;
                }
                seen.add(routine.name());
                String result = row.getString(3) == null ? "" : DoctorDdl.words(row.getString(3));
                boolean same = result.equals(routine.result())
                        && row.getString(5).equals(routine.body())
                        && row.getBoolean(4) == routine.definer();
                if (!same || routine.definer() && !row.getBoolean(6)) {
                    changed.add(routine.name());
                } else if (routine.definer() && !row.getBoolean(8)) {
                    String owner = '"' + row.getString(7).replace("\"", "\"\"") + '"';
                    findings.add(finding(
                            "lockfence." + routine.name() + " runs with the rights of " + row.getString(7)
                                    + ", who may not read and write lockfence.fence",
                            "run there: GRANT SELECT, INSERT, UPDATE ON lockfence.fence TO " + owner));
                }
            }
        }
        Set<String> gone = new LinkedHashSet<>(ddl.routines().keySet());
        gone.removeAll(seen);
        if (!outdated && !gone.isEmpty()) {
            findings.add(finding(
                    "these routines of schema lockfence are missing: " + String.join(", ", gone),
                    "run the SQL below there, as the fence's owner"));
        }
        if (!outdated && !changed.isEmpty()) {
            findings.add(finding(
                    "these routines of schema lockfence are not those of this version: " + String.join(", ", changed),
                    "run the SQL below there, as the fence's owner"));
        }
        if (missing.isEmpty() && !(gone.isEmpty() && changed.isEmpty())) {
            gone.addAll(changed);
            lacks(ddl.only(gone));
        }
        return problems() == before;
    }

    /** Of procedures the server writes IN as well. */
    private static String arguments(String described) {
        return DoctorDdl.words(described).replaceAll("(^|, )IN (?!OUT)", "$1");
    }

    /** That the user needs no more than it has, and has no more than it needs. */
    private void rights() throws SQLException {
        if (superuser) {
            findings.add(note(
                    "user " + user
                            + " is a superuser: this does not show that the rights of the service's user suffice",
                    "run doctor as the user that the service connects as"));
            return;
        }
        try (ResultSet row = query("""
                SELECT pg_catalog.has_table_privilege(c.oid, 'INSERT') OR pg_catalog.has_table_privilege(c.oid, 'UPDATE')
                  OR pg_catalog.has_table_privilege(c.oid, 'DELETE') OR pg_catalog.has_table_privilege(c.oid, 'TRUNCATE')
                FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = 'lockfence' AND c.relname = 'fence'
                """)) {
            if (row.next() && row.getBoolean(1)) {
                findings.add(
                        note(
                                "user " + user + " may write the table lockfence.fence itself, past its routines",
                                "a service needs USAGE of the schema and EXECUTE of its routines, no more: let another role own the fence"));
            } else {
                findings.add(
                        ok("user " + user + " may use the routines and has no right to the table, as it should be"));
            }
        }
    }

    /** A claim, a guard at release and a guard, as the protocol runs them, in a transaction that is rolled back. */
    private void trial() throws SQLException {
        String lease = UUID.randomUUID().toString().replace("-", "");
        String resource = "lockfence doctor " + lease;
        List<GuardItem> items = List.of(new GuardItem(resource, "lockfence doctor", 0, 1, lease, true));
        connection.setAutoCommit(false);
        try {
            // Of this transaction alone: the driver's own way would change the defaults that are looked at next.
            execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            // Twice: the second claim is made durable by another way than the first.
            claim(resource, lease, "claimed");
            claim(resource, lease, "ours");
            ReleaseGuard.Status released =
                    fence.guardAtRelease(connection, items, 0, 60_000).get(0).status();
            if (released != ReleaseGuard.Status.HELD) {
                throw new SQLException(
                        "a guard at release found the claim " + released.name().toLowerCase(Locale.ROOT));
            }
            fence.guard(connection, items);
            findings.add(ok("a claim and its guards work (tried in a transaction that was rolled back)"));
        } catch (SQLException | GuardFailedException e) {
            String state = e instanceof SQLException sql ? " (" + sql.getSQLState() + ")" : "";
            findings.add(
                    finding(
                            "a claim and its guards, tried in a transaction, fail: " + firstLine(e.getMessage())
                                    + state,
                            "run what `java -jar lockfence.jar ddl --database postgresql` prints there again, as the fence's owner; then ask who changed what that role may do"));
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private void claim(String resource, String lease, String expected) throws SQLException {
        try (PreparedStatement claim = connection.prepareStatement(
                "SELECT status FROM lockfence.claim(?, 'lockfence doctor', 0, 1, ?, 'lockfence doctor', true, 0)")) {
            claim.setString(1, resource);
            claim.setString(2, lease);
            try (ResultSet row = claim.executeQuery()) {
                row.next();
                if (!row.getString(1).equals(expected)) {
                    throw new SQLException(
                            "a claim is answered with '" + row.getString(1) + "', not '" + expected + "'");
                }
            }
        }
    }

    private void settings() throws SQLException {
        try (ResultSet row = query("""
                SELECT pg_catalog.current_setting('default_transaction_isolation'), pg_catalog.current_setting('synchronous_commit'),
                  pg_catalog.current_setting('synchronous_standby_names'), pg_catalog.current_setting('fsync'), pg_catalog.current_setting('full_page_writes'),
                  pg_catalog.pg_is_in_recovery(), (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_replication),
                  (SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'lock_timeout')::pg_catalog.int8,
                  (SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'statement_timeout')::pg_catalog.int8,
                  pg_catalog.current_setting('server_encoding'), r.rolconnlimit, d.datconnlimit
                FROM pg_catalog.pg_roles r, pg_catalog.pg_database d
                WHERE r.rolname = current_user AND d.datname = pg_catalog.current_database()
                """)) {
            row.next();
            isolation(row.getString(1));
            durability(row.getString(2), row.getString(3), row.getBoolean(6), row.getInt(7));
            if (row.getString(4).equals("off") || row.getString(5).equals("off")) {
                String name = row.getString(4).equals("off") ? "fsync" : "full_page_writes";
                findings.add(finding(
                        name
                                + " is off: a crash of the machine may lose or damage what was committed, fences and data alike",
                        "turn it on in the server's configuration, unless this is a database for tests"));
            }
            wait("lock_timeout", row.getLong(8));
            wait("statement_timeout", row.getLong(9));
            if (!row.getString(10).equals("UTF8")) {
                findings.add(note(
                        "the database's encoding is " + row.getString(10)
                                + ": a lock or resource whose name has characters that it lacks cannot be claimed (LF004)",
                        "keep such names out of keys, or use a database in UTF8"));
            }
            limit("user " + user, row.getInt(11));
            limit("the database", row.getInt(12));
        }
    }

    private void isolation(String level) {
        if (level.equals("read committed") || level.equals("read uncommitted")) {
            findings.add(ok("transactions start as " + level));
        } else {
            findings.add(note(
                    "transactions start as " + level
                            + " here: one that takes its snapshot before it takes the lock cannot be fenced and is refused (LF008)",
                    "take the lock first, then begin the transaction"));
        }
    }

    private void durability(String commit, String standbys, boolean recovery, int replicas) {
        if (recovery) {
            return;
        }
        if (commit.equals("off")) {
            findings.add(note(
                    "synchronous_commit is off for user " + user
                            + ": a crash of the server loses the last commits, and the claims with them. Claims that must last (several databases, claim: acquire) are flushed all the same",
                    "turn it on for the service if its commits must outlive a crash"));
        } else if (commit.equals("local") || replicas > 0 && standbys.isEmpty()) {
            findings.add(note(
                    "commits do not wait for a standby"
                            + (replicas > 0
                                    ? ", of which " + replicas + (replicas == 1 ? " is" : " are") + " connected"
                                    : "")
                            + ": a failover may lose the last ones, and the claims with them. What builds on a lost claim is refused (LF007)",
                    "set synchronous_standby_names, and synchronous_commit to on, if a failover must lose nothing"));
        } else {
            findings.add(ok("commits are durable (synchronous_commit is " + commit
                    + (standbys.isEmpty() ? ", no standby" : ", standbys: " + standbys) + ")"));
        }
    }

    private void wait(String name, long millis) {
        if (millis > 0 && millis < SHORT_WAIT.toMillis()) {
            findings.add(note(
                    name + " is " + millis + " ms for user " + user
                            + ": it also cuts off a guard that waits for a claim under way, and the commit then fails with the server's own error",
                    "allow at least 1 s"));
        }
    }

    private void limit(String whose, int connections) {
        if (connections >= 0) {
            findings.add(note(
                    whose + " may have " + connections + " connections: Lockfence opens up to " + CLAIM_CONNECTIONS
                            + " more in each JVM, and a claim that gets none is refused (LF004) after "
                            + Durations.text(rules.claimTimeout()),
                    "leave room for them"));
        }
    }

    /** The clock of the server against ours, at the quickest of a few answers. */
    private void clocks() throws SQLException {
        long best = Long.MAX_VALUE;
        long offset = 0;
        for (int i = 0; i < 5; i++) {
            long before = clock.millis();
            long start = System.nanoTime();
            long server;
            try (ResultSet row =
                    query("SELECT (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::pg_catalog.int8")) {
                row.next();
                server = row.getLong(1);
            }
            long took = (System.nanoTime() - start) / 1_000_000;
            if (took < best) {
                best = took;
                offset = server - (before + took / 2);
            }
        }
        String text = "the server's clock is " + Math.abs(offset) + " ms " + (offset < 0 ? "behind" : "ahead of")
                + " this machine's (give or take " + (best / 2 + 1) + " ms)";
        if (Math.abs(offset) - best / 2 > CLOCKS.toMillis()) {
            findings.add(finding(
                    text
                            + ": no guarantee depends on it, but the times in refusals and in the fence do not fit those in your logs",
                    "synchronise both machines (NTP, chrony)"));
        } else {
            findings.add(ok(text));
        }
    }

    private int problems() {
        return (int) findings.stream()
                .filter(finding -> finding.level() == DoctorFinding.Level.FINDING)
                .count();
    }

    private ResultSet query(String sql) throws SQLException {
        Statement statement = connection.createStatement();
        statement.closeOnCompletion();
        statement.setQueryTimeout(10);
        return statement.executeQuery(sql);
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String firstLine(String message) {
        return message == null
                ? "no reason given"
                : message.lines().findFirst().orElse("no reason given").strip();
    }
}
