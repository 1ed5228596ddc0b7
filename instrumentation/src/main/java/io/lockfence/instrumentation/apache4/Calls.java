/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.LeasedCalls;
import io.lockfence.instrumentation.Outgoing;
import java.io.IOException;

/** Calls of the classic client that are under way under leases. */
final class Calls {
    /** By the thread that makes the call; no thread-local, whose first reading leaves something on each thread. */
    private static final LeasedCalls<Call> CURRENT = new LeasedCalls<>();

    private record Call(Lease[] under, Call outer) {}

    private Calls() {}

    /** The service makes a call, on this thread. Returns what {@link #called} is given, or null if that need not be called. */
    static Object calling(Object target, Object request) throws IOException {
        Lease[] under = Outgoing.under();
        if (under == null) {
            return null;
        }
        try {
            Apache4 apache = Apache4.of(request);
            Outgoing.askAhead(under, apache.method(request), apache.url(request, target));
        } catch (FencedException refusal) {
            throw Outgoing.refused(refusal);
        } catch (Throwable t) {
            Outgoing.fault(under, t);
        }
        // Woven calls below must see it also where another thread gives the lease back meanwhile.
        LeaseContext.activate();
        Thread thread = Thread.currentThread();
        Call call = new Call(under, CURRENT.get(thread));
        CURRENT.put(thread, call);
        return call;
    }

    /** A call has ended. Returns what it is to throw in place of what it throws; null for that. */
    static Throwable called(Object call, Throwable thrown) {
        LeaseContext.deactivate();
        Call outer = ((Call) call).outer();
        if (outer == null) {
            CURRENT.remove(Thread.currentThread());
        } else {
            CURRENT.put(Thread.currentThread(), outer);
        }
        return thrown instanceof FencedException refusal ? Outgoing.refused(refusal) : null;
    }

    /**
     * A request is about to be written to a connection. Within a call a refusal is thrown as it is: retry handlers, the client's own and the service's, are
     * asked about each {@code IOException}.
     *
     * @return whether {@link #sent} must follow
     */
    static boolean sending(Object request, Object context) throws IOException {
        Call call = CURRENT.get(Thread.currentThread());
        Lease[] under = call == null ? Outgoing.under() : call.under();
        if (under == null) {
            return false;
        }
        try {
            Apache4 apache = Apache4.of(request);
            String method = apache.method(request);
            // To a proxy, not to a host.
            if (method.equals("CONNECT")) {
                return false;
            }
            String value = Outgoing.ask(under, method, apache.url(request, apache.target(context)));
            apache.mark(request, value);
            return value != null;
        } catch (FencedException refusal) {
            if (call != null) {
                throw refusal;
            }
            throw Outgoing.refused(refusal);
        } catch (Throwable t) {
            Outgoing.fault(under, t);
            return false;
        }
    }

    /** It was written, or failed. The object may be the service's, and sent again under other leases or under none. */
    static void sent(Object request) {
        try {
            Apache4.of(request).mark(request, null);
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
