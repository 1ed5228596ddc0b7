/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.undertow;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Inbound;
import io.lockfence.instrumentation.PublicMethods;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The commit of a response: where Undertow makes the channel for its body, status and fields are as they would be sent. The body is replaced by a wrapper of the
 * channel that is added before any of the service's: below compression, which may be asked for the first time when it has something to compress.
 */
final class Responses {
    private static final ClassValue<MethodHandle> CREATE = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> factory) {
            return PublicMethods.method(factory, "create");
        }
    };

    private Responses() {}

    static void watch(Object exchange, Inbound inbound) {
        try {
            Class<?> type = Exchange.wrapperType(exchange);
            Exchange.addWrapper(
                    exchange,
                    Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                        if (method.getDeclaringClass() == Object.class) {
                            return Exchange.ofObject(proxy, method.getName(), args);
                        }
                        return wrap(args[0], args[1], inbound);
                    }));
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** The channel for the body is about to be made. */
    static void committing(Object exchange) {
        Inbound inbound = Inbound.of(exchange);
        if (inbound == null || inbound.isReplaced()) {
            return;
        }
        try {
            Answer answer = Exchange.isStarted(exchange) ? null : inbound.instead(Exchange.status(exchange));
            if (answer != null) {
                Exchange.setStatus(exchange, answer.status());
                Exchange.fields(exchange, answer);
                inbound.replaced();
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    private static Object wrap(Object factory, Object exchange, Inbound inbound) throws Throwable {
        Answer answer = inbound.isReplaced() ? inbound.late() : null;
        if (answer != null) {
            // Again: other wrappers have set theirs.
            Exchange.fields(exchange, answer);
        }
        Object below = CREATE.get(factory.getClass()).invoke(factory);
        if (answer == null) {
            return below;
        }
        Class<?> type = Exchange.conduitType(exchange);
        return Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, new Instead(below, type, ByteBuffer.wrap(answer.body())));
    }

    /** A {@code StreamSinkConduit} that takes what the service writes, and sends the answer. Not called by two threads at once, as any conduit. */
    private static final class Instead implements InvocationHandler {
        private final Object below;
        private final ByteBuffer body;
        private final Method write;
        private final Method terminate;
        private boolean ended;
        private boolean terminated;

        Instead(Object below, Class<?> type, ByteBuffer body) {
            this.below = below;
            this.body = body;
            try {
                write = type.getMethod("write", ByteBuffer.class);
                terminate = type.getMethod("terminateWrites");
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
            switch (method.getName()) {
                case "write", "writeFinal" -> {
                    long taken = args[0] instanceof ByteBuffer one ? take(one) : take((ByteBuffer[]) args[0], args);
                    if (method.getName().equals("writeFinal")) {
                        ended = true;
                        send();
                    }
                    return method.getReturnType() == int.class ? (Object) (int) taken : (Object) taken;
                }
                case "transferFrom" -> {
                    if (args[0] instanceof FileChannel) {
                        return args[2];
                    }
                    throw new IOException("the response was replaced");
                }
                case "terminateWrites" -> {
                    ended = true;
                    send();
                    return null;
                }
                case "flush" -> {
                    return send() && (boolean) pass(method, args);
                }
                case "equals", "hashCode", "toString" -> {
                    return Exchange.ofObject(proxy, method.getName(), args);
                }
                default -> {
                    return pass(method, args);
                }
            }
        }

        private static long take(ByteBuffer content) {
            int length = content.remaining();
            content.position(content.limit());
            return length;
        }

        private static long take(ByteBuffer[] contents, Object[] args) {
            long length = 0;
            for (int i = (int) args[1]; i < (int) args[1] + (int) args[2]; i++) {
                length += take(contents[i]);
            }
            return length;
        }

        /** As much of the answer as the connection takes now; whether all of it is on its way. */
        private boolean send() throws Throwable {
            while (body.hasRemaining()) {
                if ((int) pass(write, new Object[] {body}) == 0) {
                    return false;
                }
            }
            if (ended && !terminated) {
                terminated = true;
                pass(terminate, null);
            }
            return true;
        }

        private Object pass(Method method, Object[] args) throws Throwable {
            try {
                return method.invoke(below, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
