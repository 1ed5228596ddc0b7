/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.EventLoops;
import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.LeasedRequest;
import io.lockfence.instrumentation.Outgoing;
import io.lockfence.instrumentation.Workers;
import java.io.IOException;
import java.lang.invoke.MethodHandle;

/** Requests that the service makes. A subscription asks for one; its handler is there for all attempts, and each attempt is an operation of its own. */
final class Requests {
    /** One attempt. */
    private record Attempt(LeasedRequest asked, Object handler) {}

    /** The request that the current thread subscribes to, until its handler has been made. */
    private static final ThreadLocal<LeasedRequest> SUBSCRIBING = new ThreadLocal<>();

    private static final Beside<Object, LeasedRequest> HANDLERS = new Beside<>();
    private static final Beside<Object, Attempt> ATTEMPTS = new Beside<>();

    private static final ClassValue<Requests> OF = new ClassValue<>() {
        @Override
        protected Requests computeValue(Class<?> type) {
            return new Requests(type);
        }
    };

    private final MethodHandle subscribe;
    private final MethodHandle config;
    private final MethodHandle newHandler;
    private final MethodHandle target;
    private final MethodHandle external;
    private final MethodHandle method;
    private final MethodHandle methodName;
    private final MethodHandle headers;
    private final MethodHandle setHeader;
    private final MethodHandle removeHeader;
    private final MethodHandle sentHeaders;
    private final MethodHandle fail;

    private Requests(Class<?> type) {
        String client = "reactor.netty.http.client.";
        Class<?> mono = Handles.type(type, client + "HttpClientConnect$MonoHttpConnect");
        Class<?> handler = Handles.type(type, client + "HttpClientConnect$HttpClientHandler");
        Class<?> operations = Handles.type(type, client + "HttpClientOperations");
        Class<?> fields = Handles.type(type, "io.netty.handler.codec.http.HttpHeaders");
        subscribe = Handles.method(mono, "subscribe", Handles.type(type, "reactor.core.CoreSubscriber"));
        config = Handles.getter(mono, "config");
        newHandler = Handles.constructor(handler, Handles.type(type, client + "HttpClientConfig"));
        target = Handles.getter(handler, "toURI");
        external = Handles.method(Handles.type(type, client + "UriEndpoint"), "toExternalForm");
        method = Handles.getter(handler, "method");
        methodName = Handles.method(Handles.type(type, "io.netty.handler.codec.http.HttpMethod"), "name");
        headers = Handles.getter(operations, "requestHeaders");
        setHeader = Handles.method(fields, "set", String.class, Object.class);
        removeHeader = Handles.method(fields, "remove", String.class);
        sentHeaders = Handles.method(operations, "hasSentHeaders");
        fail = Handles.method(operations, "onOutboundError", Throwable.class);
    }

    private static Requests of(Object neighbour) {
        return OF.get(neighbour.getClass());
    }

    /**
     * A request is subscribed to. Under leases it is subscribed to again from here, where the claims have been made, if it has any to make: on this thread, or, since an
     * event loop must not wait for them, on a worker. Returns whether that is so.
     */
    static boolean subscribing(Object mono, Object subscriber) {
        if (LeaseContext.idle() || SUBSCRIBING.get() != null) {
            return false;
        }
        LeasedRequest asked = LeasedRequest.ofThisThread();
        if (asked == null) {
            return false;
        }
        if (asked.asks() && EventLoops.isEventLoop(Thread.currentThread())) {
            Workers.onWorker(() -> subscribeLater(asked, mono, subscriber)).run();
        } else {
            subscribe(asked, mono, subscriber);
        }
        return true;
    }

    /** On a worker, where nobody catches what the subscription throws: it is a signal instead. */
    private static void subscribeLater(LeasedRequest asked, Object mono, Object subscriber) {
        try {
            subscribe(asked, mono, subscriber);
        } catch (Throwable t) {
            try {
                Reactor.of(mono).signalError(subscriber, t);
            } catch (Throwable fault) {
                Seams.fault(fault);
            }
        }
    }

    private static void subscribe(LeasedRequest asked, Object mono, Object subscriber) {
        Object under;
        try {
            Reactor reactor = Reactor.of(mono);
            under = reactor.under(asked.under(), subscriber);
            try {
                of(mono).claim(asked, mono);
            } catch (FencedException refusal) {
                reactor.signalError(under, Outgoing.refused(refusal));
                return;
            }
        } catch (Throwable t) {
            Seams.fault(t);
            throw new IllegalStateException(t);
        }
        SUBSCRIBING.set(asked);
        try {
            of(mono).subscribe.invoke(mono, under);
        } catch (Throwable t) {
            // The library's own, or the service's: a URL that makes no request, a subscriber that throws.
            throw Requests.<RuntimeException>thrown(t);
        } finally {
            SUBSCRIBING.remove();
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T thrown(Throwable t) throws T {
        throw (T) t;
    }

    private void claim(LeasedRequest asked, Object mono) {
        if (!asked.asks()) {
            return;
        }
        Object handler;
        try {
            handler = newHandler.invoke(config.invoke(mono));
        } catch (Throwable t) {
            // A URL that makes none: the subscription will say so.
            return;
        }
        asked.askAhead(method(handler), url(handler));
    }

    /** A handler was made. */
    static void made(Object handler) {
        if (LeaseContext.idle()) {
            return;
        }
        LeasedRequest asked = SUBSCRIBING.get();
        if (asked != null) {
            HANDLERS.put(handler, asked);
            // What is subscribed to from here on, within the same call, is another request.
            SUBSCRIBING.remove();
        }
    }

    /** An attempt has its connection. Returns what stands for its body where it is refused, else null. */
    static Object attempting(Object handler, Object operations) throws Throwable {
        LeasedRequest asked = HANDLERS.isEmpty() ? null : HANDLERS.get(handler);
        if (asked == null) {
            return null;
        }
        try {
            Requests netty = of(operations);
            Turn.remember(operations, asked.under());
            if (!asked.asks()) {
                return null;
            }
            ATTEMPTS.put(operations, new Attempt(asked, handler));
            asked.askAhead(netty.method(handler), netty.url(handler));
            return null;
        } catch (FencedException refusal) {
            return Reactor.of(operations).monoError(Outgoing.refused(refusal));
        }
    }

    /** The head of an attempt is about to be written; nothing else changes it. */
    static void writing(Object operations) {
        Attempt attempt = ATTEMPTS.isEmpty() ? null : ATTEMPTS.get(operations);
        if (attempt == null) {
            return;
        }
        IOException refusal = set(operations, attempt);
        if (refusal != null) {
            try {
                throw Reactor.of(operations).unchecked(refusal);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable t) {
                throw new IllegalStateException(t);
            }
        }
    }

    /** Nothing was sent so far, and nothing more will be handed over. Returns whether the attempt was refused instead. */
    static boolean completing(Object operations) throws Throwable {
        Attempt attempt = ATTEMPTS.isEmpty() ? null : ATTEMPTS.get(operations);
        if (attempt == null || (boolean) of(operations).sentHeaders.invoke(operations)) {
            return false;
        }
        IOException refusal = set(operations, attempt);
        if (refusal == null) {
            return false;
        }
        Object unused = of(operations).fail.invoke(operations, (Object) refusal);
        return true;
    }

    /** Returns the refusal that was thrown as something unchecked; null if it is another error. */
    static Throwable unwrap(Throwable error) {
        if (ATTEMPTS.isEmpty() || !error.getClass().getName().startsWith("reactor.core.Exceptions")) {
            return null;
        }
        try {
            return Reactor.of(error).refusalIn(error);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    private static IOException set(Object operations, Attempt attempt) {
        Requests netty = of(operations);
        try {
            String value = attempt.asked().ask(netty.method(attempt.handler()), netty.url(attempt.handler()));
            try {
                Object fields = netty.headers.invoke(operations);
                Object unused = value == null
                        ? netty.removeHeader.invoke(fields, (Object) Effects.HEADER)
                        : netty.setHeader.invoke(fields, (Object) Effects.HEADER, (Object) value);
            } catch (Throwable t) {
                attempt.asked().fault(t);
            }
            return null;
        } catch (FencedException refusal) {
            return Outgoing.refused(refusal);
        }
    }

    private String method(Object handler) {
        try {
            return (String) methodName.invoke(method.invoke(handler));
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    private String url(Object handler) {
        try {
            return (String) external.invoke(target.invoke(handler));
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }
}
