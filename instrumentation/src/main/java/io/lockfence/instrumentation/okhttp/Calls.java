/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.okhttp;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import io.lockfence.bootstrap.Units;
import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.LeasedRequest;
import io.lockfence.instrumentation.Outgoing;
import java.io.IOException;
import java.lang.invoke.MethodHandle;

/** Calls of OkHttp that were made under leases. */
final class Calls {
    private static final Beside<Object, Call> CALLS = new Beside<>();
    /** What the attempt carries that a thread writes; by the thread. No thread-local, whose first reading leaves something on each thread. */
    private static final Beside<Object, Attempt> WRITING = new Beside<>();

    private static final Lease[] NONE = {};

    private static final ClassValue<MethodHandle> FOR_WEB_SOCKET = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> call) {
            return Handles.getter(call, "forWebSocket");
        }
    };

    /**
     * @param queued whether time may pass before it is run
     * @param refusal where the service made the call; null for none
     */
    private record Call(LeasedRequest asked, boolean queued, FencedException refusal) {}

    private record Attempt(Call call, String value, Attempt outer) {}

    private Calls() {}

    /** The service makes the call, on this thread. A refusal is what the call fails with, where and how it fails for other reasons. */
    static void made(Object call, boolean queued) {
        LeasedRequest asked = LeasedRequest.ofThisThread();
        if (asked == null) {
            return;
        }
        FencedException refused = null;
        try {
            OkHttp okHttp = OkHttp.of(call);
            Object request = okHttp.requestOfCall(call);
            asked.askAhead(okHttp.method(request), okHttp.url(request));
        } catch (FencedException refusal) {
            refused = refusal;
        } catch (Throwable t) {
            Seams.fault(t);
        }
        CALLS.put(call, new Call(asked, queued, refused));
    }

    /** The call is run: before anything of it, interceptors of the service included. */
    static void running(Object call) throws IOException {
        Call known = CALLS.isEmpty() ? null : CALLS.get(call);
        if (known == null) {
            return;
        }
        FencedException refused = known.refusal();
        if (refused == null && !known.queued()) {
            return;
        }
        if (refused == null) {
            try {
                OkHttp okHttp = OkHttp.of(call);
                Object request = okHttp.requestOfCall(call);
                known.asked().askAhead(okHttp.method(request), okHttp.url(request));
                return;
            } catch (FencedException refusal) {
                refused = refusal;
            } catch (Throwable t) {
                known.asked().failed(t);
                return;
            }
        }
        throw Outgoing.refused(refused);
    }

    static void ended(Object call) {
        CALLS.remove(call);
    }

    /**
     * A queued call begins, on a thread of the dispatcher. That of a web socket reads messages as long as the socket lives: an event loop, which inherits nothing.
     */
    static LeaseContext dispatched(Object call) {
        Call known = CALLS.isEmpty() ? null : CALLS.get(call);
        return LeaseContext.beginUnit(
                known == null || isOfWebSocket(call) ? NONE : known.asked().under());
    }

    private static boolean isOfWebSocket(Object call) {
        try {
            return (boolean) FOR_WEB_SOCKET.get(call.getClass()).invoke(call);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    static void done(LeaseContext before) {
        Units.end(before, "a call of OkHttp's dispatcher");
    }

    /** A request is about to be written. Returns whether {@link #attempted} has something to undo. */
    static boolean attempting(Object chain) throws IOException {
        if (CALLS.isEmpty()) {
            return false;
        }
        Call call = null;
        try {
            OkHttp okHttp = OkHttp.of(chain);
            call = CALLS.get(okHttp.callOfChain(chain));
            if (call == null || !call.asked().asks()) {
                return false;
            }
            Object request = okHttp.requestOfChain(chain);
            String value = call.asked().ask(okHttp.method(request), okHttp.url(request));
            Thread thread = Thread.currentThread();
            WRITING.put(thread, new Attempt(call, value, WRITING.get(thread)));
            return true;
        } catch (FencedException refusal) {
            throw Outgoing.refused(refusal);
        } catch (Throwable t) {
            (call == null ? LeasedRequest.again() : call.asked()).failed(t);
            return false;
        }
    }

    static void attempted(boolean leased) {
        if (leased) {
            Thread thread = Thread.currentThread();
            Attempt outer = WRITING.get(thread).outer();
            if (outer == null) {
                WRITING.remove(thread);
            } else {
                WRITING.put(thread, outer);
            }
        }
    }

    /** What is written in place of a request; null for itself. */
    static Object writing(Object request) throws IOException {
        Attempt attempt = WRITING.isEmpty() ? null : WRITING.get(Thread.currentThread());
        if (attempt == null) {
            return null;
        }
        try {
            return OkHttp.of(request).with(request, attempt.value());
        } catch (Throwable t) {
            attempt.call().asked().failed(t);
            return null;
        }
    }
}
