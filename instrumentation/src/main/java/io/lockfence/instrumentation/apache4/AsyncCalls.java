/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.instrumentation.Outgoing;
import java.io.IOException;
import java.lang.ref.WeakReference;

/** Calls of the asynchronous client that were made under leases. It repeats nothing by itself. */
final class AsyncCalls {
    /** By the client's handler of the call. */
    private static final Beside<Object, Call> CALLS = new Beside<>();

    private static final class Call {
        private final Lease[] under;
        private final WeakReference<Object> context;
        private volatile boolean asked;

        Call(Lease[] under, Object context) {
            this.under = under;
            this.context = new WeakReference<>(context);
        }
    }

    private AsyncCalls() {}

    /** The service makes a call, on this thread. */
    static void made(Object handler, Object context) {
        Lease[] under = Outgoing.under();
        if (under != null) {
            CALLS.put(handler, new Call(under, context));
        }
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
            Outgoing.askAhead(call.under, apache.method(request), apache.url(request, handlers.target(handler)));
        } catch (FencedException refusal) {
            throw Outgoing.refused(refusal);
        } catch (Throwable t) {
            Outgoing.fault(call.under, t);
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
                apache.mark(request, Outgoing.ask(call.under, method, apache.url(request, target)));
            }
        } catch (FencedException refusal) {
            throw Outgoing.refused(refusal);
        } catch (Throwable t) {
            Outgoing.fault(call.under, t);
        }
    }
}
