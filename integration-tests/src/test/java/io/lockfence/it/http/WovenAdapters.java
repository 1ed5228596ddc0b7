/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import com.example.http.Adapters;
import io.lockfence.agent.Weaving;
import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Clients and servers of the test services, woven as the agent weaves them, in this JVM: for tests of an integration against scripted effects. */
public final class WovenAdapters extends Adapters {
    private final List<Point> points;
    private final Set<Point> matched = ConcurrentHashMap.newKeySet();

    /** @param libraries whose points are woven, in the classes of the adapters' own loaders; not in the JDK's */
    public WovenAdapters(Library... libraries) {
        points = List.of(libraries).stream()
                .flatMap(library -> library.points().stream())
                .toList();
        AdviceLinker.adviceLoader(WovenAdapters.class.getClassLoader());
    }

    /** The points whose methods were found so far, in any version. */
    public Set<Point> matched() {
        return Set.copyOf(matched);
    }

    @Override
    protected boolean shares(String className) {
        return className.startsWith("io.lockfence.bootstrap.") || super.shares(className);
    }

    @Override
    protected byte[] define(String className, byte[] bytes, ClassLoader loader) {
        List<Point> here = points.stream()
                .filter(point -> point.className().equals(className))
                .toList();
        if (here.isEmpty()) {
            return bytes;
        }
        Weaving.Result woven = Weaving.weave(className, bytes, loader, here);
        matched.addAll(woven.matched());
        return woven.bytes();
    }
}
