/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.tomcat;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Arriving;
import io.lockfence.instrumentation.Inbound;
import java.util.List;

/** The turns of a request, its admission, and its name for reports. */
final class Requests {
    private record Arrived(Object request) implements Arriving {
        @Override
        public String method() throws Throwable {
            return Coyote.method(request);
        }

        @Override
        public String path() throws Throwable {
            return Coyote.decodedUri(request);
        }

        @Override
        public String rawPath() throws Throwable {
            return Coyote.uri(request);
        }

        @Override
        public List<String> header(String name) throws Throwable {
            return Coyote.header(request, name);
        }

        @Override
        public String peer() throws Throwable {
            return Coyote.peer(request);
        }
    }

    private Requests() {}

    /** A processor uses its request object again for the next request of its connection. */
    static LeaseContext begins(Object request) {
        Inbound.forget(request);
        return LeaseContext.beginUnit();
    }

    static LeaseContext goesOn(Object request) {
        return Inbound.begin(request);
    }

    static Object joins(Object request) {
        return Inbound.join(request);
    }

    static void leaves(Object joined) {
        Inbound.leave(joined);
    }

    static Runnable turn(Object request, Runnable task) {
        return Inbound.turn(request, task);
    }

    /** @return false if the container is not to handle it; null to leave that to the server */
    static Object admits(Object request, Object servletRequest, Object servletResponse, boolean parsed) {
        if (!parsed || !Inbound.wanted()) {
            return null;
        }
        Inbound earlier = Inbound.of(request);
        Inbound inbound = Inbound.admit(request, new Arrived(request)).orElse(request, earlier);
        if (inbound.answer() == null) {
            inbound.enter();
            return null;
        }
        Responses.answer(servletResponse, inbound);
        if (earlier == null) {
            // The adapter logs only what it has handed to the container.
            AccessLog.log(servletRequest, servletResponse);
        }
        return false;
    }

    static void ended(LeaseContext before, Object request) {
        try {
            Lease[] left = LeaseContext.endUnit(before);
            if (left != null) {
                Seams.leaseEvents().leftOver(left, name(request));
            }
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }

    /** "request GET /path": without the query, which may hold secrets. */
    private static String name(Object request) {
        try {
            return "request " + Coyote.method(request) + " " + Coyote.uri(request);
        } catch (Throwable t) {
            return "a request on thread " + Thread.currentThread().getName();
        }
    }
}
