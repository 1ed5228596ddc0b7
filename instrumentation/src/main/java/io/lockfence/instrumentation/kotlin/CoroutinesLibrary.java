/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.kotlin;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** {@code kotlinx-coroutines-core} 1.6 and later. */
public final class CoroutinesLibrary implements Library {
    private static final String CONTEXTS = "contexts of coroutines";

    @Override
    public List<Point> points() {
        // Every builder makes its coroutine's context there: from a scope, or from another context (withContext).
        return List.of(new Point(
                "kotlinx.coroutines.CoroutineContextKt", "newCoroutineContext", "(", NewContextAdvice.class, CONTEXTS));
    }

    @Override
    public String name() {
        return "kotlin-coroutines";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.isEmpty() ? Level.INACTIVE : Level.FULL;
    }
}
