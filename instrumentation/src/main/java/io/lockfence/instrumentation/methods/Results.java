/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import java.util.Optional;

/** What the value tells that a lock's method returns, or that its future completes with. */
final class Results {
    private Results() {}

    /** Whether it tells of success: neither {@code false}, nor null, nor an empty Optional. */
    static boolean held(Object returned) {
        Object value = value(returned);
        return value != null && !Boolean.FALSE.equals(value);
    }

    /** What paths call {@code result}: the value in an Optional. */
    static Object value(Object returned) {
        return returned instanceof Optional<?> optional ? optional.orElse(null) : returned;
    }
}
