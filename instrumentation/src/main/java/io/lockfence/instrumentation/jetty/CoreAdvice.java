/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import io.lockfence.bootstrap.Answer;
import java.nio.ByteBuffer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Jetty 12: a core whose handlers work on requests, responses and callbacks; servlets of every edition stand on it. */
public final class CoreAdvice {
    private CoreAdvice() {}

    /** {@code Server.handle(Request, Response, Callback)}: the first turn. Skipped, as handled, where the request is answered. */
    public static final class Handle {
        private Handle() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class, skipOn = Answer.class)
        public static Object enter(
                @Advice.This Object server,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request,
                @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object response,
                @Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object callback) {
            return CoreRequests.admits(server, request, response, callback);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
        public static Object exit(@Advice.Enter Object turn) {
            return CoreRequests.handled(turn);
        }
    }

    /** {@code Server.getInvocationType()}: whether its handlers may run on a selector. */
    public static final class Invocation {
        private Invocation() {}

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
        public static Object exit(@Advice.Return(typing = Assigner.Typing.DYNAMIC) Object type) {
            return CoreRequests.mayBlock(type);
        }
    }

    /** The constructor of the core's request: the head that it was made from is all that the stream knows of it. */
    public static final class Made {
        private Made() {}

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.This Object request,
                @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object head) {
            CoreRequests.made(request, head);
        }
    }

    /** {@code demand(Runnable)} of the core's request: the service reads on when there is something to read. */
    public static final class Demand {
        private Demand() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(0))
        public static Runnable enter(@Advice.This Object request, @Advice.Argument(0) Runnable task) {
            return CoreRequests.turn(request, task);
        }
    }

    /** {@code succeeded()} and {@code failed(Throwable)} of the core's response: the service writes on when it has written. */
    public static final class Written {
        private Written() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.FieldValue(value = "_request", typing = Assigner.Typing.DYNAMIC) Object request) {
            return CoreRequests.joins(request);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        public static void exit(@Advice.Enter Object joined) {
            CoreRequests.leaves(joined);
        }
    }

    /** {@code handle()} of the channel that runs the servlets of one request: each further turn, and all after its dispatches. */
    public static final class Servlets {
        private Servlets() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.This Object channel) {
            return CoreRequests.joinsServlets(channel);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        public static void exit(@Advice.Enter Object joined) {
            CoreRequests.leaves(joined);
        }
    }

    /** {@code HttpStream.send(request, response, last, content, callback)}: below every buffer, compression and error page. */
    public static final class Send {
        private Send() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.ToArguments({
            @Advice.AssignReturned.ToArguments.ToArgument(value = 1, index = 0, typing = Assigner.Typing.DYNAMIC),
            @Advice.AssignReturned.ToArguments.ToArgument(value = 3, index = 1, typing = Assigner.Typing.DYNAMIC)
        })
        public static Object[] enter(
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request,
                @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object response,
                @Advice.Argument(3) ByteBuffer content) {
            return CoreRequests.sending(request, response, content);
        }
    }
}
