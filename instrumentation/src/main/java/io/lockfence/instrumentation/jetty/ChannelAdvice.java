/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.LeaseContext;
import java.nio.ByteBuffer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Jetty 9.4 to 11: one {@code HttpChannel} a request, used again for the next of its connection. */
public final class ChannelAdvice {
    private ChannelAdvice() {}

    /** {@code HttpChannel.handle()}: a series of turns of one request. */
    public static final class Handle {
        private Handle() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static LeaseContext enter(@Advice.This Object channel) {
            return Channels.begins(channel);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, inline = false, suppress = Throwable.class)
        public static void exit(@Advice.Enter LeaseContext before, @Advice.This Object channel) {
            Channels.ended(before, channel);
        }
    }

    /** {@code Server.handle(HttpChannel)}: customizers have run, no handler has; again for errors. Skipped where the request is answered. */
    public static final class Admission {
        private Admission() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class, skipOn = Answer.class)
        public static Object enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object channel) {
            return Channels.admits(channel);
        }
    }

    /** {@code HttpChannel.sendResponse(info, content, complete, callback)}: below every filter, buffer, compression and error page. */
    public static final class Send {
        private Send() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        @Advice.AssignReturned.ToArguments({
            @Advice.AssignReturned.ToArguments.ToArgument(value = 0, index = 0, typing = Assigner.Typing.DYNAMIC),
            @Advice.AssignReturned.ToArguments.ToArgument(value = 1, index = 1, typing = Assigner.Typing.DYNAMIC)
        })
        public static Object[] enter(
                @Advice.This Object channel,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object info,
                @Advice.Argument(1) ByteBuffer content) {
            return Channels.sending(channel, info, content);
        }
    }

    /** {@code HttpChannel.recycle()}. */
    public static final class Recycle {
        private Recycle() {}

        @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
        public static void enter(@Advice.This Object channel) {
            Channels.recycled(channel);
        }
    }
}
