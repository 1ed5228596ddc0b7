/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.instrumentation.Callbacks;
import io.lockfence.instrumentation.LeasedRequest;
import io.lockfence.instrumentation.Outgoing;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Requests of the JDK's client that were made under leases. */
final class Requests {
    /** By the client's own copy of the request ({@code HttpRequestImpl}): one for each call, one more for each redirect. */
    private static final Beside<Object, Call> CALLS = new Beside<>();

    private static final class Call {
        private final LeasedRequest asked;
        /** What the attempt that is being written carries. */
        private volatile String value;

        Call(LeasedRequest asked) {
            this.asked = asked;
        }

        String decide(HttpRequest request) throws IOException {
            value = asked.header(request.method(), request.uri().toString());
            return value;
        }
    }

    private Requests() {}

    /** The service makes a call, on this thread. Returns what it gets if the call is refused, else null. */
    static CompletableFuture<?> calling(Object request) {
        LeasedRequest leased = LeasedRequest.ofThisThread();
        if (leased == null || !(request instanceof HttpRequest asked)) {
            return null;
        }
        try {
            leased.askAhead(asked.method(), asked.uri().toString());
            return null;
        } catch (FencedException refusal) {
            return CompletableFuture.failedFuture(Outgoing.refused(refusal));
        }
    }

    /** What stands for the service's handler of the body, so that it is called back under the leases of the call. */
    static Object handling(Object handler) {
        return Callbacks.under(LeaseContext.current(), handler, BodyHandler.class, BodySubscriber.class);
    }

    /** The client has copied the service's request, on the same thread. */
    static void made(Object request) {
        LeasedRequest asked = LeasedRequest.asking();
        if (asked != null) {
            CALLS.put(request, new Call(asked));
        }
    }

    /** A request goes on as another one. */
    static void continued(Object request, Object next) {
        Call call = CALLS.isEmpty() ? null : CALLS.get(request);
        if (call != null) {
            CALLS.put(next, new Call(call.asked));
        }
    }

    /** What an HTTP/1.1 request is written with; null for what it has. */
    static Object writing(Object request, Object headers) throws IOException {
        Call call = CALLS.isEmpty() ? null : CALLS.get(request);
        if (call == null) {
            return null;
        }
        call.decide((HttpRequest) request);
        return with(call.value, (HttpHeaders) headers);
    }

    /** An attempt begins, maybe after a wait. Returns what is in place of it if it is refused, else null. */
    static CompletableFuture<?> attempting(Object request) {
        Call call = CALLS.isEmpty() ? null : CALLS.get(request);
        if (call == null) {
            return null;
        }
        try {
            HttpRequest asked = (HttpRequest) request;
            call.asked.askAhead(asked.method(), asked.uri().toString());
            return null;
        } catch (FencedException refusal) {
            return CompletableFuture.failedFuture(Outgoing.refused(refusal));
        }
    }

    /** An HTTP/2 request is about to be written, on a stream that is reserved for it. Returns what is in place of that if it is refused, else null. */
    static CompletableFuture<?> opening(Object request, Object connection) {
        Call call = CALLS.isEmpty() ? null : CALLS.get(request);
        if (call == null) {
            return null;
        }
        try {
            call.decide((HttpRequest) request);
            return null;
        } catch (IOException refused) {
            Streams.giveBack(connection);
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** What is written in place of the headers of the service's request; null for those. */
    static Object headers(Object request, Object headers) {
        Call call = CALLS.isEmpty() ? null : CALLS.get(request);
        return call == null ? null : with(call.value, (HttpHeaders) headers);
    }

    /** What {@code send} is to throw; null for what it throws: it has wrapped what made the call fail. */
    static Throwable unwrapped(Throwable thrown) {
        FencedException refusal = thrown instanceof IOException ? Outgoing.refusal(thrown.getCause()) : null;
        return refusal == null ? null : Outgoing.refused(refusal);
    }

    private static HttpHeaders with(String value, HttpHeaders headers) {
        Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        fields.putAll(headers.map());
        fields.remove(Effects.HEADER);
        if (value != null) {
            fields.put(Effects.HEADER, List.of(value));
        }
        return HttpHeaders.of(fields, (name, text) -> true);
    }
}
