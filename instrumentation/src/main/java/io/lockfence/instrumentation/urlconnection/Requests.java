/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.urlconnection;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.instrumentation.LeasedRequest;
import io.lockfence.instrumentation.Outgoing;
import java.io.IOException;
import java.net.HttpURLConnection;

/** Requests of {@code HttpURLConnection} that were made under leases. */
final class Requests {
    private static final Beside<Object, Call> CALLS = new Beside<>();
    /** By the {@code MessageHeader} that it is written from. */
    private static final Beside<Object, Attempt> ATTEMPTS = new Beside<>();

    private static final class Call {
        private LeasedRequest request;
        private boolean asked;
        private FencedException refusal;

        Call(LeasedRequest request) {
            this.request = request;
        }
    }

    private record Attempt(LeasedRequest request, String method, String url) {}

    private Requests() {}

    /** The service makes the call, or goes on with it. */
    static void calling(HttpURLConnection connection, boolean output) throws IOException {
        Call call = under(connection);
        if (call == null) {
            return;
        }
        if (call.refusal != null) {
            throw Outgoing.refused(call.refusal);
        }
        if (!call.asked) {
            call.asked = true;
            String method = connection.getRequestMethod();
            try {
                call.request.askAhead(
                        output && method.equals("GET") ? "POST" : method,
                        connection.getURL().toString());
            } catch (FencedException refusal) {
                call.refusal = refusal;
                throw Outgoing.refused(refusal);
            }
        }
    }

    /** The request of one attempt is put together. */
    static void attempting(HttpURLConnection connection, Object header) {
        if (LeaseContext.idle() && CALLS.isEmpty()) {
            return;
        }
        Call call = under(connection);
        if (call != null) {
            ATTEMPTS.put(
                    header,
                    new Attempt(
                            call.request,
                            connection.getRequestMethod(),
                            connection.getURL().toString()));
        }
    }

    /** The bytes of a request are about to be written. */
    static void writing(Object header) throws IOException {
        Attempt attempt = ATTEMPTS.isEmpty() ? null : ATTEMPTS.get(header);
        if (attempt != null) {
            String value = attempt.request().header(attempt.method(), attempt.url());
            try {
                MessageHeaders.set(header, Effects.HEADER, value);
            } catch (Throwable t) {
                attempt.request().failed(t);
            }
        }
    }

    /** A refusal where the connection was there already leaves it open. */
    static void failed(HttpURLConnection connection, Throwable thrown) {
        Call call = CALLS.isEmpty() ? null : CALLS.get(connection);
        FencedException refusal = call == null ? null : Outgoing.refusal(thrown);
        if (refusal != null && call.refusal == null) {
            call.refusal = refusal;
            connection.disconnect();
        }
    }

    /** What was written to the connection under one lease may be sent under another: then it is a request under both. */
    private static Call under(HttpURLConnection connection) {
        LeasedRequest now = LeasedRequest.ofThisThread();
        Call call = CALLS.isEmpty() ? null : CALLS.get(connection);
        if (call == null && now != null && now.asks()) {
            call = new Call(now);
            CALLS.put(connection, call);
        } else if (call != null && now != null) {
            call.request = call.request.and(now);
        }
        return call;
    }
}
