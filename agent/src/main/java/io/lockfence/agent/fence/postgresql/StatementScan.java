/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import io.lockfence.agent.fence.StatementKind;
import io.lockfence.agent.fence.postgresql.Tokens.Type;

/**
 * Tells from a statement's text what it does. One pass, in time that is linear in the length of the text.
 *
 * <p>What is not known is a write. {@link QueryScan} says when a query is a read.
 */
public final class StatementScan {
    private static final Words READS = new Words("select with values table");

    private final Tokens tokens;

    private StatementScan(Tokens tokens) {
        this.tokens = tokens;
    }

    /**
     * What the text does.
     *
     * @param sql one statement or several, with {@code ?} or {@code $1} for parameters; never null
     */
    public static StatementKind kind(String sql) {
        Tokens tokens = new Tokens(sql, false);
        StatementKind kind = new StatementScan(tokens).text();
        if (!tokens.doubtful()) {
            return kind;
        }
        // The server may read backslashes in strings either way.
        StatementKind other = new StatementScan(new Tokens(sql, true)).text();
        if (kind == other) {
            return kind;
        }
        return kind.controlsTransaction() || other.controlsTransaction() ? StatementKind.MIXED : StatementKind.WRITE;
    }

    private StatementKind text() {
        StatementKind all = StatementKind.EMPTY;
        int count = 0;
        tokens.next();
        while (!tokens.ends()) {
            if (tokens.is(';')) {
                tokens.next();
                continue;
            }
            StatementKind kind = statement();
            if (tokens.type == Type.BROKEN) {
                break;
            }
            all = count++ == 0 ? kind : all.with(kind);
        }
        if (tokens.type != Type.BROKEN) {
            return all;
        }
        return count > 0 && all.controlsTransaction() ? StatementKind.MIXED : StatementKind.WRITE;
    }

    /** One statement; afterwards the token is its semicolon or the end. */
    private StatementKind statement() {
        if (tokens.is('(')) {
            return QueryScan.scan(tokens, false);
        } else if (tokens.is('{')) {
            return escape();
        } else if (tokens.in(READS)) {
            return QueryScan.scan(tokens, false);
        }
        Tokens t = tokens;
        if (t.is("begin")) {
            return rest(StatementKind.BEGIN);
        } else if (t.is("start")) {
            t.next();
            return rest(t.is("transaction") ? StatementKind.BEGIN : StatementKind.WRITE);
        } else if (t.is("commit") || t.is("end")) {
            t.next();
            return t.is("prepared") ? rest(StatementKind.COMMIT_PREPARED) : commit();
        } else if (t.is("rollback") || t.is("abort")) {
            return rollback();
        } else if (t.is("savepoint")) {
            return rest(StatementKind.SAVEPOINT);
        } else if (t.is("release")) {
            return rest(StatementKind.RELEASE);
        } else if (t.is("prepare")) {
            t.next();
            return rest(t.is("transaction") ? StatementKind.PREPARE_TRANSACTION : StatementKind.HARMLESS);
        } else if (t.is("set")) {
            return set();
        } else if (t.is("show")
                || t.is("reset")
                || t.is("discard")
                || t.is("deallocate")
                || t.is("close")
                || t.is("listen")
                || t.is("unlisten")) {
            return rest(StatementKind.HARMLESS);
        } else if (t.is("fetch") || t.is("move")) {
            return rest(StatementKind.FETCH);
        } else if (t.is("lock")) {
            return rest(StatementKind.READ);
        } else if (t.is("call") || t.is("do")) {
            return rest(StatementKind.ROUTINE);
        } else if (t.is("copy")) {
            return copy();
        } else if (t.is("declare")) {
            return declare();
        } else if (t.is("explain")) {
            return explain();
        } else if (t.is("vacuum")
                || t.is("analyze")
                || t.is("analyse")
                || t.is("checkpoint")
                || t.is("reindex")
                || t.is("cluster")) {
            return rest(StatementKind.MAINTENANCE);
        } else if (t.is("create") || t.is("drop") || t.is("alter")) {
            return definition();
        }
        return rest(StatementKind.WRITE);
    }

    /** Passes over what is left of the statement. */
    private StatementKind rest(StatementKind kind) {
        int open = 0;
        while (!tokens.ends()) {
            if (tokens.is('(')) {
                open++;
            } else if (tokens.is(')')) {
                open--;
            } else if (tokens.is(';') && open <= 0) {
                break;
            }
            tokens.next();
        }
        return kind;
    }

    private StatementKind commit() {
        boolean chain = false;
        boolean no = false;
        while (!tokens.ends() && !tokens.is(';')) {
            no |= tokens.is("no");
            chain |= tokens.is("chain");
            tokens.next();
        }
        return chain && !no ? StatementKind.COMMIT_AND_CHAIN : StatementKind.COMMIT;
    }

    private StatementKind rollback() {
        tokens.next();
        if (tokens.is("prepared")) {
            return rest(StatementKind.HARMLESS);
        } else if (tokens.is("work") || tokens.is("transaction")) {
            tokens.next();
        }
        return rest(tokens.is("to") ? StatementKind.ROLLBACK_TO : StatementKind.ROLLBACK);
    }

    private StatementKind set() {
        tokens.next();
        if (tokens.is("constraints")) {
            // SET CONSTRAINTS … IMMEDIATE runs the deferred triggers.
            return rest(StatementKind.WRITE);
        } else if (tokens.is("transaction")) {
            tokens.next();
            return rest(tokens.is("snapshot") ? StatementKind.READ : StatementKind.HARMLESS);
        }
        return rest(StatementKind.HARMLESS);
    }

    /** JDBC's {@code {call f(?)}} and <code>{? = call f(?)}</code>, if the driver has left it. */
    private StatementKind escape() {
        return rest(StatementKind.ROUTINE);
    }

    private StatementKind copy() {
        tokens.next();
        StatementKind source = StatementKind.READ;
        if (tokens.is('(')) {
            source = QueryScan.scan(tokens, true);
        }
        StatementKind kind = StatementKind.WRITE;
        int open = 0;
        while (!tokens.ends() && !(tokens.is(';') && open <= 0)) {
            if (tokens.is('(')) {
                open++;
            } else if (tokens.is(')')) {
                open--;
            } else if (open == 0 && (tokens.is("from") || tokens.is("to"))) {
                boolean from = tokens.is("from");
                tokens.next();
                if (tokens.is("stdin") || tokens.is("stdout")) {
                    kind = from ? StatementKind.COPY_IN : StatementKind.COPY_OUT;
                }
                return rest(kind == StatementKind.COPY_OUT && source.writes() ? StatementKind.WRITE : kind);
            }
            tokens.next();
        }
        return kind;
    }

    private StatementKind declare() {
        boolean hold = false;
        boolean with = false;
        while (!tokens.ends() && !tokens.is(';')) {
            if (tokens.is("hold")) {
                hold = with;
            } else if (tokens.is("for")) {
                tokens.next();
                StatementKind query =
                        tokens.in(READS) || tokens.is('(') ? QueryScan.scan(tokens, false) : rest(StatementKind.WRITE);
                return hold || query.writes() ? StatementKind.WRITE : StatementKind.CURSOR;
            }
            with = tokens.is("with");
            tokens.next();
        }
        return StatementKind.WRITE;
    }

    private StatementKind explain() {
        boolean analyze = false;
        tokens.next();
        if (tokens.is('(')) {
            int open = 0;
            do {
                open += tokens.is('(') ? 1 : tokens.is(')') ? -1 : 0;
                analyze |= tokens.is("analyze") || tokens.is("analyse");
                tokens.next();
            } while (open > 0 && !tokens.ends());
        } else {
            while (tokens.is("analyze") || tokens.is("analyse") || tokens.is("verbose")) {
                analyze |= !tokens.is("verbose");
                tokens.next();
            }
        }
        if (tokens.ends()) {
            return StatementKind.WRITE;
        }
        StatementKind explained = statement();
        return explained.writes() && analyze || explained.controlsTransaction()
                ? StatementKind.WRITE
                : StatementKind.READ;
    }

    /** {@code CREATE}, {@code DROP}, {@code ALTER}: writes, but for what cannot run in a transaction and changes no rows. */
    private StatementKind definition() {
        boolean create = tokens.is("create");
        boolean alter = tokens.is("alter");
        tokens.next();
        if (tokens.is("database") && !alter || tokens.is("tablespace") && !alter || alter && tokens.is("system")) {
            return rest(StatementKind.MAINTENANCE);
        }
        boolean index = tokens.is("index") || tokens.is("unique");
        boolean table = tokens.is("table");
        boolean concurrently = false;
        int open = 0;
        // The statements of a routine in standard SQL's notation end in semicolons of their own.
        int blocks = 0;
        boolean begin = false;
        while (!tokens.ends() && !(tokens.is(';') && open <= 0 && blocks == 0)) {
            if (tokens.is('(')) {
                open++;
            } else if (tokens.is(')')) {
                open--;
            } else if (create && (begin && tokens.is("atomic") || blocks > 0 && tokens.is("case"))) {
                blocks++;
            } else if (blocks > 0 && tokens.is("end")) {
                blocks--;
            } else if (open == 0 && tokens.is("concurrently")) {
                concurrently = true;
            }
            begin = tokens.is("begin");
            tokens.next();
        }
        return concurrently && (index || alter && table) ? StatementKind.MAINTENANCE : StatementKind.WRITE;
    }
}
