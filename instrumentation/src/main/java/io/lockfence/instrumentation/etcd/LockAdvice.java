/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code LockImpl}. */
public final class LockAdvice {
    private LockAdvice() {}

    /** {@code lock(name, leaseId)}: the future is replaced by one that completes when etcd has been asked for the key. */
    public static final class Acquire {
        private Acquire() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static Object enter(
                @Advice.This Object client,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object name,
                @Advice.Argument(1) long leaseId) {
            return Acquiring.locking(client, name, leaseId);
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class, onThrowable = Throwable.class)
        @Advice.AssignReturned.ToReturned(typing = Assigner.Typing.DYNAMIC)
        public static Object exit(
                @Advice.Enter Object call, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            return Acquiring.called(call, future);
        }
    }

    /** {@code unlock(key)}, on any thread. */
    public static final class Release {
        private Release() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(
                @Advice.This Object client, @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object key) {
            Releases.unlocking(client, key);
        }
    }
}
