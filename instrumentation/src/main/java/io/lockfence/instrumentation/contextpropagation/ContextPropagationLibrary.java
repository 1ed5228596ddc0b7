/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.contextpropagation;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/**
 * {@code io.micrometer:context-propagation} 1.0 and later, as Spring Boot 3 and Reactor 3.5 have it. The ends of scopes are loaded with the first that is
 * closed: they are not asked for before.
 */
public final class ContextPropagationLibrary implements Library {
    private static final String CONTEXT = "io.micrometer.context.";
    private static final String PROPAGATION = "reactor.core.publisher.ContextPropagation";
    private static final String REGISTRY = "the registry of accessors";
    private static final String SCOPES = "ends of scopes";

    @Override
    public List<Point> points() {
        return List.of(
                // Its own instance is made with it; the service's own registries are loaded by it as well.
                new Point(
                        CONTEXT + "ContextRegistry", "loadThreadLocalAccessors", "()", RegistryAdvice.class, REGISTRY),
                end(CONTEXT + "DefaultContextSnapshot$DefaultScope"),
                // Reactor has scopes of its own.
                end(PROPAGATION + "$ReactorScopeImpl"),
                end(PROPAGATION + "$ReactorScopeImpl100"));
    }

    private static Point end(String scope) {
        return new Point(
                scope,
                "resetThreadLocalValue",
                "(Lio/micrometer/context/ThreadLocalAccessor;Ljava/lang/Object;)V",
                PutBackAdvice.class,
                SCOPES);
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
