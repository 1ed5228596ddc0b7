/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jdkserver;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.bootstrap.Units;
import io.lockfence.instrumentation.Arriving;
import io.lockfence.instrumentation.Inbound;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.util.List;

/** Exchanges of the JDK's server, known by the object that the first filter gets. */
final class Exchanges {
    /** Set between the begin of a run and the first filter: a service may have chains of its own. */
    private static final ThreadLocal<Boolean> FRESH = new ThreadLocal<>();

    /** The exchange that the service sees, by the one below it. */
    private static final Beside<Object, WeakReference<Object>> BY_IMPLEMENTATION = new Beside<>();

    /** Bodies of responses that were replaced. */
    private static final Beside<Object, Boolean> REPLACED = new Beside<>();

    private record Arrived(HttpExchange exchange) implements Arriving {
        @Override
        public String method() {
            return exchange.getRequestMethod();
        }

        /** As the server looks for its context, by prefix. */
        @Override
        public String path() {
            String path = exchange.getRequestURI().getPath();
            return path == null || path.isEmpty() ? null : path;
        }

        @Override
        public String rawPath() {
            return exchange.getRequestURI().getRawPath();
        }

        @Override
        public List<String> header(String name) {
            List<String> values = exchange.getRequestHeaders().get(name);
            return values == null ? List.of() : List.copyOf(values);
        }

        @Override
        public String peer() {
            return Inbound.numbers(exchange.getRemoteAddress());
        }
    }

    private Exchanges() {}

    static LeaseContext begins() {
        if (Inbound.wanted()) {
            FRESH.set(true);
        }
        return LeaseContext.beginUnit();
    }

    static void ended(LeaseContext before) {
        if (Inbound.ever()) {
            FRESH.remove();
        }
        Units.end(before, null);
    }

    static void made(Object exchange, Object below) {
        if (Inbound.wanted()) {
            BY_IMPLEMENTATION.put(below, new WeakReference<>(exchange));
        }
    }

    /** @return the answer if the service is not to run; it is sent. Else what {@link #threw} is to know */
    static Object admits(Object exchange) {
        if (!Inbound.wanted() || FRESH.get() == null) {
            return null;
        }
        FRESH.remove();
        HttpExchange http = (HttpExchange) exchange;
        Inbound inbound = Inbound.admit(exchange, new Arrived(http));
        if (inbound.answer() == null) {
            inbound.enter();
            return inbound;
        }
        try {
            send(http, inbound.answer());
        } catch (IOException e) {
            http.close();
        } catch (Throwable t) {
            Seams.fault(t);
            http.close();
        }
        return inbound.answer();
    }

    /** @return what is thrown on; null if the client has an answer */
    static Throwable threw(Object admitted, Object exchange, Throwable thrown) {
        try {
            HttpExchange http = (HttpExchange) exchange;
            if (!(admitted instanceof Inbound inbound) || http.getResponseCode() != -1) {
                return thrown;
            }
            Answer answer = inbound.instead(500);
            if (answer == null) {
                return thrown;
            }
            clear(http.getResponseHeaders());
            send(http, answer);
            return null;
        } catch (IOException e) {
            return thrown;
        } catch (Throwable t) {
            Seams.fault(t);
            return thrown;
        }
    }

    /** A whole answer; ends the exchange. */
    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        head(exchange.getResponseHeaders(), answer);
        boolean bodiless = exchange.getRequestMethod().equals("HEAD");
        if (bodiless) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(answer.body().length));
        }
        exchange.sendResponseHeaders(answer.status(), bodiless ? -1 : answer.body().length);
        if (!bodiless) {
            exchange.getResponseBody().write(answer.body());
        }
        exchange.close();
    }

    private static void head(Headers headers, Answer answer) {
        headers.set("Content-Type", answer.contentType());
        if (answer.retryAfter() > 0) {
            headers.set("Retry-After", Integer.toString(answer.retryAfter()));
        }
    }

    private static void clear(Headers headers) {
        headers.keySet().removeIf(name -> !Inbound.survives(name));
    }

    /**
     * @param length -1 for no body, 0 for one of unknown length
     * @return status and length to be sent instead, then what {@link #sent} is to know; null to leave them
     */
    static Object[] sending(Object below, int status, long length) {
        WeakReference<Object> above = Inbound.ever() ? BY_IMPLEMENTATION.get(below) : null;
        HttpExchange exchange = above == null ? null : (HttpExchange) above.get();
        Inbound inbound = Inbound.of(exchange);
        if (inbound == null || status < 200 || exchange.getResponseCode() != -1) {
            return null;
        }
        Answer answer = inbound.instead(status);
        if (answer == null) {
            return null;
        }
        inbound.replaced();
        clear(exchange.getResponseHeaders());
        head(exchange.getResponseHeaders(), answer);
        boolean bodiless = exchange.getRequestMethod().equals("HEAD");
        if (bodiless) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(answer.body().length));
        }
        return new Object[] {
            answer.status(), bodiless ? -1L : (long) answer.body().length, bodiless ? null : answer, length == -1
        };
    }

    static void sent(Object[] instead, OutputStream body) {
        if (instead == null) {
            return;
        }
        try {
            if (instead[2] instanceof Answer answer) {
                body.write(answer.body());
                body.flush();
                if ((boolean) instead[3]) {
                    // The service has said that there is no body, and will not end it.
                    body.close();
                }
            }
        } catch (IOException e) {
            // The client has gone: the service finds that out when it ends the exchange.
        }
        REPLACED.put(body, true);
    }

    static boolean isReplaced(Object body) {
        return Inbound.ever() && REPLACED.get(body) != null;
    }
}
