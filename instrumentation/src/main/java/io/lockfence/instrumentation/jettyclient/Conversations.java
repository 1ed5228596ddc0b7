/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jettyclient;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.instrumentation.Callbacks;
import io.lockfence.instrumentation.LeasedRequest;
import io.lockfence.instrumentation.Outgoing;
import java.lang.ref.WeakReference;

/** Jetty's conversations that began under leases. */
final class Conversations {
    /** What the first request of a conversation was sent under; the requests that follow from it are others. */
    private record Begun(LeasedRequest asked, WeakReference<Object> first) {}

    private static final Beside<Object, Begun> BEGUN = new Beside<>();

    private Conversations() {}

    /** A request is sent, on the thread that sends it: the claims are made here. Returns why it is refused, or null. */
    static Object sending(Object request) {
        if (LeaseContext.idle() && BEGUN.isEmpty()) {
            return null;
        }
        Requests jetty = Requests.of(request);
        Object conversation = jetty.conversation(request);
        Begun begun = BEGUN.get(conversation);
        if (begun != null && !begun.first().refersTo(request)) {
            return null;
        }
        LeasedRequest asked = begun == null ? LeasedRequest.ofThisThread() : LeasedRequest.again();
        if (asked == null) {
            return null;
        }
        BEGUN.put(conversation, new Begun(asked, new WeakReference<>(request)));
        try {
            asked.askAhead(jetty.method(request), jetty.url(request));
            return null;
        } catch (FencedException refusal) {
            return refusal;
        }
    }

    /** It was queued, or is being sent: from here on it can be aborted. */
    static void sent(Object request, Object refusal) {
        if (refusal instanceof FencedException fenced) {
            Requests.of(request).abort(request, Outgoing.refused(fenced));
        }
    }

    /** A connection has been found, and is about to write the request. */
    static void attempting(Object exchange) {
        if (BEGUN.isEmpty()) {
            return;
        }
        Object request = Exchanges.request(exchange);
        Requests jetty = Requests.of(request);
        Begun begun = BEGUN.get(jetty.conversation(request));
        if (begun == null || !begun.asked().asks()) {
            return;
        }
        try {
            set(jetty, request, begun.asked());
        } catch (FencedException refusal) {
            jetty.abort(request, Outgoing.refused(refusal));
        }
    }

    /** What a listener is told of belongs to a request: it runs under the leases of that. Returns what {@link Callbacks#end} is given. */
    static Object told(Object ofRequest) {
        if (BEGUN.isEmpty()) {
            return null;
        }
        Object request = Exchanges.requestOf(ofRequest);
        Begun begun = request == null ? null : BEGUN.get(Requests.of(request).conversation(request));
        return begun == null ? null : Callbacks.begin(begun.asked().under());
    }

    private static void set(Requests jetty, Object request, LeasedRequest asked) {
        String value = asked.ask(jetty.method(request), jetty.url(request));
        try {
            jetty.setHeader(request, value);
        } catch (RuntimeException | Error e) {
            asked.fault(e);
        }
    }
}
