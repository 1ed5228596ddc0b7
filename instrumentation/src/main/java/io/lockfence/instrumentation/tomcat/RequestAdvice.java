/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.tomcat;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** One turn of a request: the first, or one more of an asynchronous one. */
public final class RequestAdvice {
    private RequestAdvice() {}

    /** {@code CoyoteAdapter.service}: a request that nobody has seen before. */
    public static final class First {
        private First() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static LeaseContext enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            return Requests.begins(request);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.Enter LeaseContext before,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            Requests.ended(before, request);
        }
    }

    /** {@code asyncDispatch}: dispatches, timeouts, errors, listeners of reads and writes. */
    public static final class Next {
        private Next() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static LeaseContext enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            return Requests.goesOn(request);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.Enter LeaseContext before,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            Requests.ended(before, request);
        }
    }

    /** {@code AsyncContextImpl.fireOnComplete}: listeners hear of the end after the last dispatch, outside the adapter. */
    public static final class Completed {
        private Completed() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.FieldValue(value = "request", typing = Assigner.Typing.DYNAMIC) Object request) {
            return Requests.joins(Coyote.requestOf(request));
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        public static void exit(@Advice.Enter Object joined) {
            Requests.leaves(joined);
        }
    }

    /** {@code AsyncContext.start(Runnable)}. */
    public static final class Started {
        private Started() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(0))
        public static Runnable enter(
                @Advice.FieldValue(value = "request", typing = Assigner.Typing.DYNAMIC) Object request,
                @Advice.Argument(0) Runnable task) {
            return Requests.turn(Coyote.requestOf(request), task);
        }
    }
}
