/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jettyclient;

import io.lockfence.instrumentation.Handles;
import java.lang.invoke.MethodHandle;

/** {@code getRequest()} of an exchange, a response or a result. */
final class Exchanges {
    private static final ClassValue<MethodHandle> REQUEST = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> exchange) {
            return Handles.method(exchange, "getRequest");
        }
    };

    private static final ClassValue<Boolean> HAS_REQUEST = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> subject) {
            return Handles.has(subject, "getRequest");
        }
    };

    private Exchanges() {}

    /** The request itself, or what a response or a result has for it. */
    static Object requestOf(Object subject) {
        return HAS_REQUEST.get(subject.getClass()) ? request(subject) : subject;
    }

    static Object request(Object exchange) {
        try {
            return REQUEST.get(exchange.getClass()).invoke(exchange);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }
}
