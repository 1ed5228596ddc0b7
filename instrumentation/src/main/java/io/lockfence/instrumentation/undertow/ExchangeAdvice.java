/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.undertow;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** One exchange, whose turns are run by an event loop and by workers. */
public final class ExchangeAdvice {
    private ExchangeAdvice() {}

    /**
     * {@code Connectors.executeRootHandler(handler, exchange)}: the first turn, and each that a handler was dispatched for. The handler is another one where
     * the request is answered, or where its admission may have to wait and must not be on the event loop.
     */
    public static final class Root {
        private Root() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.ToArguments(
                @Advice.AssignReturned.ToArguments.ToArgument(value = 0, index = 0, typing = Assigner.Typing.DYNAMIC))
        public static Object[] enter(
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object handler,
                @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object exchange) {
            return Exchanges.turn(handler, exchange);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        public static void exit(@Advice.Enter Object[] turn) {
            Exchanges.ended(turn);
        }
    }

    /** {@code HttpServerExchange.dispatch(Executor, Runnable)}: all other dispatches come to it. */
    public static final class Dispatch {
        private Dispatch() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.ToArguments(@Advice.AssignReturned.ToArguments.ToArgument(1))
        public static Runnable enter(@Advice.This Object exchange, @Advice.Argument(1) Runnable task) {
            return Exchanges.dispatched(exchange, task);
        }
    }

    /** {@code HttpServerExchange.getResponseChannel()}. */
    public static final class Commit {
        private Commit() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object exchange) {
            Responses.committing(exchange);
        }
    }

    /** The methods of {@code ServletContextImpl} that run listeners of every kind, and what {@code AsyncContext.start} was given. */
    public static final class Invoked {
        private Invoked() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object exchange) {
            return Exchanges.joins(exchange);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        public static void exit(@Advice.Enter Object joined) {
            Exchanges.leaves(joined);
        }
    }
}
