/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.instrumentation.Outgoing;
import java.io.IOException;

/** Calls of the asynchronous client that were made under leases. */
final class AsyncCalls {
    /** By the client's {@code AsyncExecRuntime}. */
    private static final Beside<Object, Call> CALLS = new Beside<>();
    /** By the request that is written. */
    private static final Beside<Object, Call> ATTEMPTS = new Beside<>();

    private static final class Call {
        private final Lease[] under;
        private volatile boolean asked;

        Call(Lease[] under) {
            this.under = under;
        }
    }

    private AsyncCalls() {}

    /** The service makes a call, on this thread. */
    static void made(Object runtime) {
        Lease[] under = Outgoing.under();
        if (under != null) {
            CALLS.put(runtime, new Call(under));
        }
    }

    /** The call begins, or goes on. Returns whether it has failed instead. */
    static boolean calling(Object request, Object scope, Object callback) throws Throwable {
        Call call = of(request, scope);
        if (call == null || call.asked) {
            return false;
        }
        call.asked = true;
        return refused(call, request, callback);
    }

    /** An attempt has its connection. Returns whether the call has failed instead. */
    static boolean attempting(Object request, Object scope, Object callback) throws Throwable {
        Call call = of(request, scope);
        if (call == null) {
            return false;
        }
        ATTEMPTS.put(request, call);
        return refused(call, request, callback);
    }

    private static Call of(Object request, Object scope) throws IOException {
        if (CALLS.isEmpty()) {
            return null;
        }
        try {
            return CALLS.get(Apache5.of(request).runtime(scope));
        } catch (Throwable t) {
            Outgoing.fault(Outgoing.under(), t);
            return null;
        }
    }

    /** Fails a call whose leases are dead, as it fails for other reasons; but not with an {@code IOException}, about which retry strategies are asked. */
    private static boolean refused(Call call, Object request, Object callback) throws Throwable {
        Apache5 apache = Apache5.of(request);
        try {
            Outgoing.askAhead(call.under, apache.method(request), apache.url(request, null));
            return false;
        } catch (FencedException refusal) {
            apache.fail(callback, refusal);
            return true;
        }
    }

    /**
     * The request is about to be written. A {@code ProtocolException} ends this request alone where others are on the same connection (HTTP/2), and is not followed by
     * a retry.
     */
    static void writing(Object request) throws Throwable {
        Call call = ATTEMPTS.isEmpty() ? null : ATTEMPTS.get(request);
        if (call == null) {
            return;
        }
        Apache5 apache = Apache5.of(request);
        try {
            String value = Outgoing.ask(call.under, apache.method(request), apache.url(request, null));
            apache.mark(request, value);
        } catch (FencedException refusal) {
            throw apache.protocolException(refusal.getMessage(), refusal);
        } catch (Throwable t) {
            Outgoing.fault(call.under, t);
        }
    }

    /** A refusal as the service is to see it; null for other failures. */
    static Exception forService(Exception failure) {
        FencedException refusal = Outgoing.refusal(failure);
        return refusal == null || failure.getClass() == IOException.class ? null : Outgoing.refused(refusal);
    }
}
