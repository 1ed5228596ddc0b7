/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.etcd;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code LeaseImpl}: etcd's leases, which locks belong to. */
public final class LeaseAdvice {
    private LeaseAdvice() {}

    /** {@code grant(...)}. */
    public static final class Grant {
        private Grant() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static long enter() {
            return System.nanoTime();
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.Enter long sentAt, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            Grants.granting(sentAt, future);
        }
    }

    /** {@code keepAlive(leaseId, observer)}: the answers come to {@link KeptAlive}. */
    public static final class KeepAlive {
        private KeepAlive() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.Argument(0) long leaseId) {
            Grants.keepingAlive(leaseId);
        }
    }

    /** An answer to one of the requests that jetcd sends for {@code keepAlive}, before the service's observers have it. */
    public static final class KeptAlive {
        private KeptAlive() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object answer) {
            Grants.keptAlive(answer);
        }
    }

    /** {@code keepAliveOnce(leaseId)}. */
    public static final class KeepAliveOnce {
        private KeepAliveOnce() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static long enter(@Advice.Argument(0) long leaseId) {
            Grants.keepingAlive(leaseId);
            return System.nanoTime();
        }

        @Advice.OnMethodExit(inline = false, suppress = Throwable.class)
        public static void exit(
                @Advice.Argument(0) long leaseId,
                @Advice.Enter long sentAt,
                @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object future) {
            Grants.keepingAliveOnce(leaseId, sentAt, future);
        }
    }

    /** {@code revoke(leaseId)}. */
    public static final class Revoke {
        private Revoke() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.Argument(0) long leaseId) {
            Releases.revoking(leaseId);
        }
    }
}
