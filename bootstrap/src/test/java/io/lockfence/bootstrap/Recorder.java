/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The agent's side of the seams, for tests of bootstrap alone: remembers what it was told. */
final class Recorder {
    /** Leases that a unit left, and where. */
    record LeftOver(List<Lease> leases, String place) {}

    final List<LeftOver> leftOvers = new CopyOnWriteArrayList<>();
    final List<LeaseContext> taskEnds = new CopyOnWriteArrayList<>();
    final List<Throwable> faults = new CopyOnWriteArrayList<>();

    static Recorder connect() {
        Recorder recorder = new Recorder();
        LeaseEvents events = (LeaseEvents) Proxy.newProxyInstance(
                Recorder.class.getClassLoader(), new Class<?>[] {LeaseEvents.class}, recorder::hear);
        Seams.connect(events, null, recorder.faults::add);
        return recorder;
    }

    private Object hear(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "inherits" -> {
                return true;
            }
            case "leftOver" -> leftOvers.add(new LeftOver(List.of((Lease[]) arguments[0]), (String) arguments[1]));
            case "taskEnded" -> taskEnds.add((LeaseContext) arguments[0]);
            default -> throw new UnsupportedOperationException(method.toString());
        }
        return null;
    }
}
