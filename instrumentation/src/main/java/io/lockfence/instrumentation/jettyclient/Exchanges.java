/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jettyclient;

import io.lockfence.instrumentation.Handles;
import java.lang.invoke.MethodHandle;

/** {@code HttpExchange.getRequest()}. */
final class Exchanges {
    private static final ClassValue<MethodHandle> REQUEST = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> exchange) {
            return Handles.method(exchange, "getRequest");
        }
    };

    private Exchanges() {}

    static Object request(Object exchange) {
        try {
            return REQUEST.get(exchange.getClass()).invoke(exchange);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }
}
