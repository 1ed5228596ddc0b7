/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jdkserver;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** One exchange: read, filtered and handled on one thread of the server's executor. */
public final class ExchangeAdvice {
    private ExchangeAdvice() {}

    /** {@code ServerImpl.Exchange.run()}. */
    public static final class Run {
        private Run() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static LeaseContext enter() {
            return Exchanges.begins();
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        public static void exit(@Advice.Enter LeaseContext before) {
            Exchanges.ended(before);
        }
    }

    /** {@code Filter.Chain.doFilter(exchange)}: the first of an exchange goes before authenticators, filters and the handler. */
    public static final class Admission {
        private Admission() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class, skipOn = Answer.class)
        public static Object enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object exchange) {
            return Exchanges.admits(exchange);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.AsScalar(skipOnDefaultValue = false)
        @Advice.AssignReturned.ToThrown
        public static Throwable exit(
                @Advice.Enter Object admitted,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object exchange,
                @Advice.Thrown Throwable thrown) {
            return thrown == null ? null : Exchanges.threw(admitted, exchange, thrown);
        }
    }

    /** The constructor of what the service sees of an exchange. */
    public static final class Made {
        private Made() {}

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.This Object exchange,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object below) {
            Exchanges.made(exchange, below);
        }
    }
}
