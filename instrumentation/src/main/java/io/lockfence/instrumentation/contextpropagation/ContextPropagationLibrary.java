/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.contextpropagation;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/** {@code io.micrometer:context-propagation} 1.0 and later, as Spring Boot 3 and Reactor 3.5 have it. */
public final class ContextPropagationLibrary implements Library {
    private static final String REGISTRY = "the registry of accessors";

    @Override
    public List<Point> points() {
        // Its own instance is made with it; the service's own registries are loaded by it as well.
        return List.of(new Point(
                "io.micrometer.context.ContextRegistry",
                "loadThreadLocalAccessors",
                "()",
                RegistryAdvice.class,
                REGISTRY));
    }

    @Override
    public String name() {
        return "context-propagation";
    }

    @Override
    public Level level(Set<String> woven) {
        return woven.isEmpty() ? Level.INACTIVE : Level.FULL;
    }
}
