/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.undertow;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.bootstrap.Units;
import io.lockfence.instrumentation.Arriving;
import io.lockfence.instrumentation.Inbound;
import java.util.List;

/** Turns of exchanges, known by their {@code HttpServerExchange}; there is a new one for each request. */
final class Exchanges {
    private record Arrived(Object exchange) implements Arriving {
        @Override
        public String method() throws Throwable {
            return Exchange.method(exchange);
        }

        @Override
        public String path() throws Throwable {
            return Exchange.path(exchange);
        }

        @Override
        public String rawPath() throws Throwable {
            return Exchange.uri(exchange);
        }

        @Override
        public List<String> header(String name) throws Throwable {
            return Exchange.header(exchange, name);
        }

        @Override
        public String peer() throws Throwable {
            return Exchange.peer(exchange);
        }
    }

    private Exchanges() {}

    /** @return the handler of this turn, then what {@link #ended} is to know */
    static Object[] turn(Object handler, Object exchange) {
        Inbound inbound = Inbound.of(exchange);
        if (inbound == null && Inbound.wanted()) {
            Object elsewhere = onWorker(handler, exchange);
            if (elsewhere != null) {
                return new Object[] {elsewhere, LeaseContext.beginUnit(), null};
            }
            inbound = Inbound.admit(exchange, new Arrived(exchange));
            if (inbound.answer() != null) {
                Answer answer = inbound.answer();
                return new Object[] {
                    Exchange.handler(exchange, () -> Exchange.answer(exchange, answer)), LeaseContext.beginUnit(), null
                };
            }
            if (inbound.mayBeReplaced()) {
                Responses.watch(exchange, inbound);
            }
        }
        LeaseContext before = inbound == null ? LeaseContext.beginUnit() : inbound.begin();
        return new Object[] {handler, before, inbound == null ? null : inbound.name()};
    }

    /** A handler that hands the request to a worker, which then begins anew; null if it can be admitted here. */
    private static Object onWorker(Object handler, Object exchange) {
        try {
            if (Exchange.isInIoThread(exchange)
                    && !Exchange.header(exchange, Effects.HEADER).isEmpty()) {
                return Exchange.handler(exchange, () -> Exchange.dispatch(exchange, handler));
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
        return null;
    }

    static void ended(Object[] turn) {
        if (turn != null) {
            Units.end((LeaseContext) turn[1], (String) turn[2]);
        }
    }

    static Runnable dispatched(Object exchange, Runnable task) {
        return Inbound.turn(exchange, task);
    }

    static Object joins(Object exchange) {
        return Inbound.join(exchange);
    }

    static void leaves(Object joined) {
        Inbound.leave(joined);
    }
}
