/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.instrumentation.Callbacks;
import io.lockfence.instrumentation.LeasedRequest;
import io.lockfence.instrumentation.Outgoing;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Calls of the asynchronous client that were made under leases. */
final class AsyncCalls {
    /** By the client's {@code AsyncExecRuntime}. */
    private static final Beside<Object, Call> CALLS = new Beside<>();
    /** By the request that is written. */
    private static final Beside<Object, Call> ATTEMPTS = new Beside<>();

    private static final class Call {
        private final LeasedRequest asked;
        private volatile boolean begun;
        private volatile boolean hasCallback;
        private volatile boolean hasProducer;
        /** What the call was refused with; inside the client it travels as what no retry strategy is asked about. */
        private volatile FencedException refusal;

        Call(LeasedRequest asked) {
            this.asked = asked;
        }

        /** As the service is to see it, if it is our refusal. */
        Object forService(Object failure) {
            FencedException ours = refusal;
            return ours != null && (failure == ours || ((Throwable) failure).getCause() == ours)
                    ? Outgoing.refused(ours)
                    : failure;
        }
    }

    /** What the client tells the service's side of a call. */
    private record Told(Call call, Object underLeases) implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getDeclaringClass() == Object.class && method.getName().equals("equals")) {
                return proxy == arguments[0];
            }
            boolean failed = method.getName().equals("failed") && arguments.length == 1;
            Object[] seen = failed ? new Object[] {call.forService(arguments[0])} : arguments;
            try {
                return method.invoke(underLeases, seen);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    private AsyncCalls() {}

    /** The service makes a call, on this thread. */
    static void made(Object runtime) {
        LeasedRequest asked = LeasedRequest.ofThisThread();
        if (asked != null) {
            CALLS.put(runtime, new Call(asked));
        }
    }

    /** It goes on with another object, made on whatever thread. */
    static void forked(Object runtime, Object fork) {
        if (CALLS.isEmpty()) {
            return;
        }
        Call call = CALLS.get(runtime);
        if (call == null) {
            CALLS.remove(fork);
        } else {
            CALLS.put(fork, call);
        }
    }

    /** The call begins, or goes on. Returns whether it has failed instead. */
    static boolean calling(Object request, Object scope, Object callback) throws Throwable {
        Call call = of(request, scope);
        if (call == null || call.begun) {
            return false;
        }
        call.begun = true;
        FencedException refusal = refusal(call, request);
        if (refusal != null) {
            // Above everything that would try again.
            Apache5.of(request).fail(callback, Outgoing.refused(refusal));
        }
        return refusal != null;
    }

    /** What stands for the service's side of a call that begins, so that it is told under the leases of the call; null to leave it. */
    static Object callback(Object request, Object scope, Object callback) throws Throwable {
        Call call = of(request, scope);
        if (call == null || call.hasCallback) {
            return null;
        }
        call.hasCallback = true;
        Apache5 apache = Apache5.of(request);
        Class<?> type = apache.callbackType(scope);
        return told(call, Callbacks.under(call.asked.under(), callback, type, apache.dataConsumerType()), type);
    }

    /** The same of what the service's side sends; null to leave it, or if it sends nothing. */
    static Object producer(Object request, Object scope, Object producer) throws Throwable {
        Call call = producer == null ? null : of(request, scope);
        if (call == null || call.hasProducer) {
            return null;
        }
        call.hasProducer = true;
        Class<?> type = Apache5.of(request).entityProducerType();
        return told(call, Callbacks.under(call.asked.under(), producer, type), type);
    }

    private static Object told(Call call, Object underLeases, Class<?> type) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Told(call, underLeases));
    }

    /** An attempt has its connection. Returns whether the call has failed instead. */
    static boolean attempting(Object request, Object scope, Object callback) throws Throwable {
        Call call = of(request, scope);
        if (call == null || !call.asked.asks()) {
            return false;
        }
        ATTEMPTS.put(request, call);
        FencedException refusal = refusal(call, request);
        if (refusal != null) {
            // As no IOException: retry strategies are asked about those.
            Apache5.of(request).fail(callback, refusal);
        }
        return refusal != null;
    }

    private static Call of(Object request, Object scope) throws IOException {
        if (CALLS.isEmpty()) {
            return null;
        }
        try {
            return CALLS.get(Apache5.of(request).runtime(scope));
        } catch (Throwable t) {
            LeasedRequest.again().failed(t);
            return null;
        }
    }

    private static FencedException refusal(Call call, Object request) throws Throwable {
        Apache5 apache = Apache5.of(request);
        try {
            call.asked.askAhead(apache.method(request), apache.url(request, null));
            return null;
        } catch (FencedException refusal) {
            call.refusal = refusal;
            return refusal;
        }
    }

    /**
     * The request is about to be written. A {@code ProtocolException} ends this request alone where others are on the same connection (HTTP/2), and is not followed by
     * a retry.
     */
    static void writing(Object request) throws Throwable {
        Call call = ATTEMPTS.isEmpty() ? null : ATTEMPTS.get(request);
        if (call == null) {
            return;
        }
        Apache5 apache = Apache5.of(request);
        try {
            String value = call.asked.ask(apache.method(request), apache.url(request, null));
            apache.mark(request, value);
        } catch (FencedException refusal) {
            call.refusal = refusal;
            throw apache.protocolException(refusal.getMessage(), refusal);
        } catch (Throwable t) {
            call.asked.failed(t);
        }
    }
}
