/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.apache5;

import io.lockfence.instrumentation.BlockingCalls;

/** Calls of the classic client. */
final class Calls extends BlockingCalls {
    static final Calls CLASSIC = new Calls();

    private Calls() {}

    @Override
    protected String method(Object request) throws Throwable {
        return Apache5.of(request).method(request);
    }

    @Override
    protected String url(Object request, Object target) throws Throwable {
        return Apache5.of(request).url(request, target);
    }

    @Override
    protected String urlWritten(Object request, Object context) throws Throwable {
        return url(request, null);
    }

    @Override
    protected void mark(Object request, String value) throws Throwable {
        Apache5.of(request).mark(request, value);
    }
}
