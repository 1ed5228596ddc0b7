/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Where advisory locks come and go. Nothing is looked at where no rule names them. */
public final class AdvisoryAdvice {
    private AdvisoryAdvice() {}

    /** {@code execute} of one query. */
    public static final class Execute {
        private Execute() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object executor,
                @Advice.Argument(0) Object query,
                @Advice.Argument(1) Object parameters,
                @Advice.Argument(5) int flags)
                throws Throwable {
            return AdvisoryLocks.off() ? null : AdvisoryLocks.sending(executor, query, parameters, flags);
        }

        @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.Enter Object call, @Advice.Thrown Throwable thrown) throws Throwable {
            if (call != null) {
                AdvisoryLocks.sent(call, thrown);
            }
        }
    }

    /** {@code execute} of several queries. */
    public static final class Batch {
        private Batch() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object executor, @Advice.Argument(0) Object[] queries, @Advice.Argument(5) int flags)
                throws Throwable {
            return AdvisoryLocks.off() ? null : AdvisoryLocks.sending(executor, queries, flags);
        }

        @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.Enter Object call, @Advice.Thrown Throwable thrown) throws Throwable {
            if (call != null) {
                AdvisoryLocks.sent(call, thrown);
            }
        }
    }

    /** {@code receiveNoticeResponse}: an unlock of what is not held is answered by a warning. */
    public static final class Notice {
        private Notice() {}

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.This Object executor, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object warning)
                throws Throwable {
            if (!AdvisoryLocks.off()) {
                AdvisoryLocks.noticed(executor, warning);
            }
        }
    }

    /** {@code PgConnection.commit}: also where nothing is sent any more, because the agent has committed with its guard. */
    public static final class Commit {
        private Commit() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object connection) throws Throwable {
            if (AdvisoryLocks.attentive()) {
                AdvisoryLocks.committing(connection);
            }
        }

        @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.This Object connection) throws Throwable {
            if (AdvisoryLocks.attentive()) {
                AdvisoryLocks.committed(connection);
            }
        }
    }

    /** {@code PgConnection.close}, by the service or by its pool. */
    public static final class Close {
        private Close() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.This Object connection) throws Throwable {
            return AdvisoryLocks.closing(connection);
        }

        @Advice.OnMethodExit(inline = false, onThrowable = Throwable.class, suppress = Throwable.class)
        public static void exit(@Advice.Enter Object holds) {
            AdvisoryLocks.closed(holds);
        }
    }
}
