/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import net.bytebuddy.asm.Advice;

/** {@code LeaderLatch}. */
public final class LatchAdvice {
    private LatchAdvice() {}

    /** Before listeners, and whoever waits, are told: they may write at once. */
    public static final class Leadership {
        private Leadership() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object latch, @Advice.Argument(0) boolean leads) {
            if (leads) {
                Latches.leads(latch);
            }
        }
    }

    /** {@code setNode}, which deletes the node that the latch has. */
    public static final class Node {
        private Node() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object latch) {
            Latches.givesUpNode(latch);
        }
    }

    /** The node is deleted in it, before the latch changes its mind. */
    public static final class Close {
        private Close() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object latch) {
            Latches.closing(latch);
        }
    }
}
