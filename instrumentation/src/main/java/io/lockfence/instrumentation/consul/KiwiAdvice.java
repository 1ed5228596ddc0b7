/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** kiwiproject's {@code KeyValueClient} and {@code SessionClient}, whose calls wait for their answers. */
public final class KiwiAdvice {
    private KiwiAdvice() {}

    /** {@code putValue(key, value, flags, options, ...)}: acquisitions and releases. */
    public static final class Write {
        private Write() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object client,
                @Advice.Argument(0) String key,
                @Advice.Argument(value = 3, typing = Assigner.Typing.DYNAMIC) Object options)
                throws Throwable {
            return Acquiring.writing(Kiwi.put(client, key, options));
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(
                @Advice.Enter Object write, @Advice.Return boolean confirmed, @Advice.Thrown Throwable failure) {
            Acquiring.written(write, confirmed, failure);
        }
    }

    /** {@code deleteKey(key, options)}, one or many. */
    public static final class Delete {
        private Delete() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object client,
                @Advice.Argument(0) String key,
                @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object options)
                throws Throwable {
            return KiwiCalls.deleting(client, key, options);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(@Advice.Enter Object deletion) {
            KiwiCalls.touched(deletion);
        }
    }

    /** {@code performTransaction(options, operations)}. */
    public static final class Transaction {
        private Transaction() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object client,
                @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object operations)
                throws Throwable {
            return KiwiCalls.transacting(client, operations);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(@Advice.Enter Object transaction) {
            KiwiCalls.touched(transaction);
        }
    }

    /** {@code createSession(session, datacenter)}. */
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
            KiwiCalls.created(client, wanted, sentAt, response);
        }
    }

    /** {@code renewSession(datacenter, id)}, the other way round than the rest. */
    public static final class Renew {
        private Renew() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static long enter() {
            return System.nanoTime();
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        public static void exit(
                @Advice.This Object client,
                @Advice.Argument(1) String session,
                @Advice.Enter long sentAt,
                @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object information,
                @Advice.Thrown Throwable failure)
                throws Throwable {
            KiwiCalls.renewed(client, session, sentAt, information, failure);
        }
    }

    /** {@code destroySession(id, datacenter)}. */
    public static final class Destroy {
        private Destroy() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.Argument(0) String session) {
            Releases.destroying(session);
        }
    }
}
