/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code ElectionImpl}. */
public final class ElectionAdvice {
    private ElectionAdvice() {}

    /** {@code campaign(name, leaseId, proposal)}. */
    public static final class Campaign {
        private Campaign() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object client,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object name,
                @Advice.Argument(1) long leaseId) {
            return Acquiring.campaigning(client, name, leaseId);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
        public static Object exit(
                @Advice.Enter Object call, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            return Acquiring.called(call, future);
        }
    }

    /** {@code resign(leaderKey)}. */
    public static final class Resign {
        private Resign() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(
                @Advice.This Object client,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object leaderKey) {
            Releases.resigning(client, leaderKey);
        }
    }

    /** The constructor, before 0.7.0. */
    public static final class Made {
        private Made() {}

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.This Object client,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object connections) {
            Connection.met(client, connections);
        }
    }
}
