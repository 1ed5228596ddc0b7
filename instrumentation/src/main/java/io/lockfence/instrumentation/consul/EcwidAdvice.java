/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Ecwid's {@code KeyValueConsulClient} and {@code SessionConsulClient}, which {@code ConsulClient} hands its calls to. */
public final class EcwidAdvice {
    private EcwidAdvice() {}

    /** {@code setKVValue(key, value, token, parameters, query)}, and the same of bytes: acquisitions and releases. */
    public static final class Write {
        private Write() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object client,
                @Advice.Argument(0) String key,
                @Advice.Argument(2) String token,
                @Advice.Argument(value = 3, typing = Assigner.Typing.DYNAMIC) Object parameters,
                @Advice.Argument(value = 4, typing = Assigner.Typing.DYNAMIC) Object query)
                throws Throwable {
            return Acquiring.writing(Ecwid.put(client, key, token, parameters, query));
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(
                @Advice.This Object client,
                @Advice.Enter Object write,
                @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object response,
                @Advice.Thrown Throwable failure)
                throws Throwable {
            EcwidCalls.written(client, write, response, failure);
        }
    }

    /** {@code deleteKVValue(key, token, query)}. */
    public static final class Delete {
        private Delete() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object client, @Advice.Argument(0) String key) {
            Releases.deleting(new Ecwid(client), key, false);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(@Advice.Argument(0) String key) {
            Releases.touched(key, false);
        }
    }

    /** {@code deleteKVValues(key, token, query)}. */
    public static final class DeleteAll {
        private DeleteAll() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object client, @Advice.Argument(0) String key) {
            Releases.deleting(new Ecwid(client), key, true);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(@Advice.Argument(0) String key) {
            Releases.touched(key, true);
        }
    }

    /** {@code sessionCreate(session, query, ...)}. */
    public static final class Create {
        private Create() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static long enter() {
            return System.nanoTime();
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.This Object client,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object wanted,
                @Advice.Enter long sentAt,
                @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object response)
                throws Throwable {
            EcwidCalls.created(client, wanted, sentAt, response);
        }
    }

    /** {@code renewSession(id, query, ...)}. */
    public static final class Renew {
        private Renew() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static long enter() {
            return System.nanoTime();
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(
                @Advice.This Object client,
                @Advice.Argument(0) String session,
                @Advice.Enter long sentAt,
                @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object response,
                @Advice.Thrown Throwable failure)
                throws Throwable {
            EcwidCalls.renewed(client, session, sentAt, response, failure);
        }
    }

    /** {@code sessionDestroy(id, query, ...)}. */
    public static final class Destroy {
        private Destroy() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.Argument(0) String session) {
            Releases.destroying(session);
        }
    }
}
