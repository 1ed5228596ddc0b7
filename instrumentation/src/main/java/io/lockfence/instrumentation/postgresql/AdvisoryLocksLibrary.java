/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/**
 * PostgreSQL's advisory locks, as a lock library: taken and given back by SQL, seen where {@link PostgresLibrary} sees all of it. Its advice goes around that library's, so that the server
 * is asked when a statement is over, with whatever was opened around it.
 */
public final class AdvisoryLocksLibrary implements Library {
    /** The rules' name. */
    static final String NAME = "postgresql-advisory";

    private static final String STATEMENTS = "statements";
    private static final String BATCHES = "batches";
    private static final String COMMITS = "commits";
    private static final String CLOSES = "closes";
    private static final String NOTICES = "unlocks that fail";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Point> points() {
        return List.of(
                new Point(
                        PostgresLibrary.EXECUTOR,
                        "execute",
                        PostgresLibrary.EXECUTE_ONE,
                        AdvisoryAdvice.Execute.class,
                        STATEMENTS),
                new Point(
                        PostgresLibrary.EXECUTOR,
                        "execute",
                        PostgresLibrary.EXECUTE_SEVERAL,
                        AdvisoryAdvice.Batch.class,
                        BATCHES),
                new Point(
                        PostgresLibrary.EXECUTOR,
                        "receiveNoticeResponse",
                        "()Ljava/sql/SQLWarning;",
                        AdvisoryAdvice.Notice.class,
                        NOTICES),
                new Point(PostgresLibrary.CONNECTION, "commit", "()V", AdvisoryAdvice.Commit.class, COMMITS),
                new Point(PostgresLibrary.CONNECTION, "close", "()V", AdvisoryAdvice.Close.class, CLOSES));
    }

    @Override
    public Level level(Set<String> woven) {
        if (!woven.containsAll(Set.of(STATEMENTS, BATCHES, COMMITS, CLOSES))) {
            return Level.INACTIVE;
        }
        return woven.contains(NOTICES) ? Level.FULL : Level.PROBING;
    }
}
