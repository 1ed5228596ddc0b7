/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** Where pgjdbc is woven. */
public final class PostgresLibrary implements Library {
    private static final String DRIVER = "org.postgresql.Driver";
    static final String CONNECTION = "org.postgresql.jdbc.PgConnection";
    static final String EXECUTOR = "org.postgresql.core.v3.QueryExecutorImpl";
    private static final String EXECUTOR_BASE = "org.postgresql.core.QueryExecutorBase";
    private static final String PORTAL = "org.postgresql.core.v3.Portal";
    private static final String XA = "org.postgresql.xa.PGXAConnection";

    private static final String OLDER = "connections opened before";

    /** What must be there, or writes would pass unseen. XA is not among it: its statements are; only its error codes would be wrong. */
    private static final Set<String> REQUIRED = Set.of(
            "connect", "execute", "batch", "fastpath", "copy", "stream", "commit", "rollback", "autocommit", "close");

    // The first form that a version has is woven: 42.7's shorter forms call the longer ones.
    private static final String QUERY =
            "(Lorg/postgresql/core/Query;Lorg/postgresql/core/ParameterList;Lorg/postgresql/core/ResultHandler;";
    private static final String QUERIES =
            "([Lorg/postgresql/core/Query;[Lorg/postgresql/core/ParameterList;Lorg/postgresql/jdbc/BatchResultHandler;";
    static final String EXECUTE_ONE = QUERY + "IIIZ)V|" + QUERY + "III)V";
    static final String EXECUTE_SEVERAL = QUERIES + "IIIZ)V|" + QUERIES + "III)V";
    private static final String COPY = "(Lorg/postgresql/core/v3/CopyOperationImpl;";

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public List<Point> points() {
        return List.of(
                new Point(
                        DRIVER,
                        "connect",
                        "(Ljava/lang/String;Ljava/util/Properties;)",
                        ConnectAdvice.class,
                        "connect"),
                new Point(EXECUTOR, "execute", EXECUTE_ONE, ExecuteAdvice.class, "execute"),
                new Point(EXECUTOR, "execute", EXECUTE_SEVERAL, BatchAdvice.class, "batch"),
                new Point(
                        EXECUTOR,
                        "fastpathCall",
                        "(ILorg/postgresql/core/ParameterList;Z)",
                        FastpathAdvice.class,
                        "fastpath"),
                new Point(EXECUTOR, "startCopy", "(Ljava/lang/String;Z)", CopyStartAdvice.class, "copy"),
                new Point(EXECUTOR, "readFromCopy", COPY, CopyReadAdvice.class, "copy"),
                new Point(EXECUTOR, "endCopy", COPY, CopyEndAdvice.class, "copy"),
                new Point(EXECUTOR, "cancelCopy", COPY, CopyEndAdvice.class, "copy"),
                new Point(
                        PORTAL,
                        "<init>",
                        "(Lorg/postgresql/core/v3/SimpleQuery;Ljava/lang/String;)V",
                        PortalAdvice.class,
                        "stream"),
                new Point(
                        EXECUTOR,
                        "fetch",
                        "(Lorg/postgresql/core/ResultCursor;Lorg/postgresql/core/ResultHandler;I",
                        FetchAdvice.class,
                        "stream"),
                new Point(CONNECTION, "commit", "()V", CommitAdvice.class, "commit"),
                new Point(CONNECTION, "rollback", "()V", RollbackAdvice.class, "rollback"),
                new Point(CONNECTION, "setAutoCommit", "(Z)V", AutoCommitAdvice.class, "autocommit"),
                new Point(CONNECTION, "close", "()V", ConnectionCloseAdvice.class, "close"),
                new Point(EXECUTOR_BASE, "close", "()V", CloseAdvice.class, "close"),
                new Point(EXECUTOR_BASE, "abort", "()V", CloseAdvice.class, "close"),
                new Point(XA, "prepare", "(Ljavax/transaction/xa/Xid;)I", XaAdvice.class, "xa"),
                new Point(XA, "commit", "(Ljavax/transaction/xa/Xid;Z)V", XaAdvice.class, "xa"));
    }

    @Override
    public List<Point> latePoints() {
        return List.of(
                new Point(
                        CONNECTION,
                        "getQueryExecutor",
                        "()Lorg/postgresql/core/QueryExecutor;",
                        MetAdvice.Executor.class,
                        OLDER),
                new Point(CONNECTION, "getAutoCommit", "()Z", MetAdvice.AutoCommit.class, OLDER));
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.containsAll(REQUIRED) ? Level.FULL : Level.INACTIVE;
    }
}
