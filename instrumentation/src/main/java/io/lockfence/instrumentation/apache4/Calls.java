/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache4;

import io.lockfence.instrumentation.BlockingCalls;

/** Calls of the classic client. */
final class Calls extends BlockingCalls {
    static final Calls CLASSIC = new Calls();

    private Calls() {}

    @Override
    protected String method(Object request) throws Throwable {
        return Apache4.of(request).method(request);
    }

    @Override
    protected String url(Object request, Object target) throws Throwable {
        return Apache4.of(request).url(request, target);
    }

    @Override
    protected String urlWritten(Object request, Object context) throws Throwable {
        Apache4 apache = Apache4.of(request);
        return apache.url(request, apache.target(context));
    }

    @Override
    protected void mark(Object request, String value) throws Throwable {
        Apache4.of(request).mark(request, value);
    }
}
