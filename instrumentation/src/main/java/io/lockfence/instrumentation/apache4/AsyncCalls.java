/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.instrumentation.Callbacks;
import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.LeasedRequest;
import io.lockfence.instrumentation.Outgoing;
import java.io.IOException;
import java.lang.ref.WeakReference;

/** Calls of the asynchronous client that were made under leases. It repeats nothing by itself. */
final class AsyncCalls {
    /** By the client's handler of the call. */
    private static final Beside<Object, Call> CALLS = new Beside<>();

    private record Types(Class<?> consumer, Class<?> callback) {}

    private static final ClassValue<Types> TYPES = new ClassValue<>() {
        @Override
        protected Types computeValue(Class<?> client) {
            return new Types(
                    Handles.type(client, "org.apache.http.nio.protocol.HttpAsyncResponseConsumer"),
                    Handles.type(client, "org.apache.http.concurrent.FutureCallback"));
        }
    };

    private static final class Call {
        private final LeasedRequest request;
        private final WeakReference<Object> context;
        private volatile boolean asked;

        Call(LeasedRequest request, Object context) {
            this.request = request;
            this.context = new WeakReference<>(context);
        }
    }

    private AsyncCalls() {}

    /** The service makes a call, on this thread. */
    static void made(Object handler, Object context) {
        LeasedRequest request = LeasedRequest.asking();
        if (request != null) {
            CALLS.put(handler, new Call(request, context));
        }
    }

    /** What stands for the service's consumer of an answer, under the leases of the call. */
    static Object consuming(Object client, Object consumer) {
        return Callbacks.under(
                LeaseContext.current(), consumer, TYPES.get(client.getClass()).consumer());
    }

    /** What stands for the service's callback, under the leases of the call. */
    static Object ending(Object client, Object callback) {
        return Callbacks.under(
                LeaseContext.current(), callback, TYPES.get(client.getClass()).callback());
    }

    /** A connection is asked for, the first time on the thread of the call; what this throws makes the call fail. */
    static void connecting(Object handler) throws IOException {
        Call call = CALLS.isEmpty() ? null : CALLS.get(handler);
        if (call == null || call.asked) {
            return;
        }
        call.asked = true;
        try {
            Handlers handlers = Handlers.of(handler);
            Object request = handlers.request(handler);
            Apache4 apache = Apache4.of(request);
            call.request.askAhead(apache.method(request), apache.url(request, handlers.target(handler)));
        } catch (FencedException refusal) {
            throw Outgoing.refused(refusal);
        } catch (Throwable t) {
            call.request.failed(t);
        }
    }

    /** A request is about to be written; what this throws makes the call fail. */
    static void writing(Object handler, Object request) throws IOException {
        Call call = CALLS.isEmpty() ? null : CALLS.get(handler);
        if (call == null || request == null) {
            return;
        }
        try {
            Apache4 apache = Apache4.of(request);
            String method = apache.method(request);
            // To a proxy, not to a host.
            if (!method.equals("CONNECT")) {
                Object target = apache.target(call.context.get());
                apache.mark(request, call.request.ask(method, apache.url(request, target)));
            }
        } catch (FencedException refusal) {
            throw Outgoing.refused(refusal);
        } catch (Throwable t) {
            call.request.failed(t);
        }
    }
}
