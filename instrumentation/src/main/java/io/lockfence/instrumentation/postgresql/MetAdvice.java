/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/**
 * {@code PgConnection.getQueryExecutor} and {@code getAutoCommit}, one of which is called before anything is sent. Woven only in a JVM that was running
 * before Lockfence came: an executor does not know its connection, and connections that are older are met here.
 */
public final class MetAdvice {
    private MetAdvice() {}

    /** {@code getQueryExecutor()}. */
    public static final class Executor {
        private Executor() {}

        @Advice.OnMethodExit(inline = false)
        public static void exit(@Advice.This Object connection, @Advice.Return Object executor) {
            if (!LeaseContext.idle()) {
                Sessions.met(connection, executor);
            }
        }
    }

    /** {@code getAutoCommit()}: COPY and large objects keep the executor, and ask this before each use. */
    public static final class AutoCommit {
        private AutoCommit() {}

        @Advice.OnMethodEnter(inline = false)
        public static void enter(@Advice.This Object connection) {
            if (!LeaseContext.idle()) {
                Sessions.met(connection);
            }
        }
    }
}
