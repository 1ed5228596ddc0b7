/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.io.IOException;

/**
 * Calls of a client that are under way under leases, where a client makes each on one thread, from the service's call to the writing of every attempt. One object for each
 * library. Thread safe.
 */
public abstract class BlockingCalls {
    /** By the thread that makes the call; no thread-local, whose first reading leaves something on each thread. */
    private final Beside<Object, Call> current = new Beside<>();

    private static final class Call {
        private final LeasedRequest request;
        private final Call outer;
        /** What an attempt was refused with: that alone is ours among what the call throws. */
        private FencedException refusal;

        Call(LeasedRequest request, Call outer) {
            this.request = request;
            this.outer = outer;
        }
    }

    /** In capitals. */
    protected abstract String method(Object request) throws Throwable;

    /** @param target where the service sends the request, if it does not say so itself */
    protected abstract String url(Object request, Object target) throws Throwable;

    /** @param context what the library knows of the call besides */
    protected abstract String urlWritten(Object request, Object context) throws Throwable;

    /** @param value the only one of the header; null for none */
    protected abstract void mark(Object request, String value) throws Throwable;

    /** The service makes a call, on this thread. Returns what {@link #called} is given, or null if that need not be called. */
    public final Object calling(Object target, Object request) throws IOException {
        LeasedRequest asked = LeasedRequest.asking();
        if (asked == null) {
            return null;
        }
        try {
            asked.askAhead(method(request), url(request, target));
        } catch (FencedException refusal) {
            throw Outgoing.refused(refusal);
        } catch (Throwable t) {
            asked.failed(t);
        }
        // Woven calls below must see it also where another thread gives the lease back meanwhile.
        LeaseContext.activate();
        Thread thread = Thread.currentThread();
        Call call = new Call(asked, current.get(thread));
        current.put(thread, call);
        return call;
    }

    /** A call has ended. Returns what it is to throw in place of what it throws; null for that. */
    public final Throwable called(Object calling, Throwable thrown) {
        LeaseContext.deactivate();
        Call call = (Call) calling;
        Call outer = call.outer;
        if (outer == null) {
            current.remove(Thread.currentThread());
        } else {
            current.put(Thread.currentThread(), outer);
        }
        return thrown != null && thrown == call.refusal ? Outgoing.refused(call.refusal) : null;
    }

    /**
     * A request is about to be written to a connection. Within a call a refusal is thrown as it is: retry handlers, the client's own and the service's, are
     * asked about each {@code IOException}.
     *
     * @return whether {@link #sent} must follow
     */
    public final boolean sending(Object request, Object context) throws IOException {
        Call call = current.get(Thread.currentThread());
        LeasedRequest asked = call == null ? LeasedRequest.asking() : call.request;
        if (asked == null) {
            return false;
        }
        try {
            String method = method(request);
            // To a proxy, not to a host.
            if (method.equals("CONNECT")) {
                return false;
            }
            String value = asked.ask(method, urlWritten(request, context));
            mark(request, value);
            return value != null;
        } catch (FencedException refusal) {
            if (call != null) {
                call.refusal = refusal;
                throw refusal;
            }
            throw Outgoing.refused(refusal);
        } catch (Throwable t) {
            asked.failed(t);
            return false;
        }
    }

    /** It was written, or failed. The object may be the service's, and sent again under other leases or under none. */
    public final void sent(Object request) {
        try {
            mark(request, null);
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
