/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A library in a JVM that was running before Lockfence came: what meets older objects of it is woven as well. */
record LateLibrary(Library library) implements Library {
    /** All of them. */
    static List<Library> all() {
        List<Library> late = new ArrayList<>();
        Libraries.ALL.forEach(library -> late.add(new LateLibrary(library)));
        return late;
    }

    @Override
    public String name() {
        return library.name();
    }

    @Override
    public List<Point> points() {
        List<Point> points = new ArrayList<>(library.points());
        points.addAll(library.latePoints());
        return points;
    }

    @Override
    public List<Point> latePoints() {
        return library.latePoints();
    }

    @Override
    public Set<String> opens() {
        return library.opens();
    }

    /** Older objects that are not met are not fenced. */
    @Override
    public Level level(Set<String> woven) {
        for (Point point : library.latePoints()) {
            if (!woven.contains(point.capability())) {
                return Level.INACTIVE;
            }
        }
        return library.level(woven);
    }
}
