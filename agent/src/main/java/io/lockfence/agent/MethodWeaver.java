/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.instrumentation.methods.MethodPoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which classes have methods that the rules name: by their names, at the cost of one look-up. */
final class MethodWeaver {
    private final Map<String, List<MethodPoint>> byClass = new HashMap<>();
    private final MethodStatus status;

    MethodWeaver(List<MethodPoint> points, MethodStatus status) {
        this.status = status;
        for (MethodPoint point : points) {
            byClass.computeIfAbsent(point.className().replace('.', '/'), name -> new ArrayList<>())
                    .add(point);
        }
    }

    /** The methods to weave in a class; empty for nearly all. */
    List<MethodPoint> of(String internalName) {
        return byClass.getOrDefault(internalName, List.of());
    }

    void report(String className, Weaving.Result result, List<MethodPoint> points) {
        for (MethodPoint point : points) {
            String why = result.problems().get(point);
            if (why == null) {
                status.woven(point, className);
            } else {
                status.notWoven(point, className, why);
            }
        }
    }

    void failed(String className, Throwable thrown, List<MethodPoint> points) {
        points.forEach(point -> status.notWoven(point, className, className + " could not be woven: " + thrown));
    }
}
