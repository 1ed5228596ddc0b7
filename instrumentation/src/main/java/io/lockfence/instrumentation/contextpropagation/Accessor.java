/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.contextpropagation;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Submissions;
import io.lockfence.bootstrap.Units;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The leases on a thread, as a thread-local of the service's: read where a snapshot is taken, set where one is restored.
 *
 * <p>Setting them begins a turn of work on the thread, in place of an earlier one; setting what the thread had by itself ends it.
 */
final class Accessor {
    /** Under which the leases are in Reactor's context. */
    static final String KEY = "io.lockfence.leases";

    private static final Lease[] NONE = {};

    /**
     * A turn that was begun on a thread.
     *
     * @param begun for its end
     * @param unit what the thread has as long as the turn goes on
     */
    private record Turn(Object begun, LeaseContext unit) {}

    private static final ThreadLocal<Turn> TURN = new ThreadLocal<>();

    private Accessor() {}

    static void register(Object registry) throws Throwable {
        MethodHandle register = MethodHandles.publicLookup()
                .findVirtual(
                        registry.getClass(),
                        "registerThreadLocalAccessor",
                        MethodType.methodType(
                                registry.getClass(), String.class, Supplier.class, Consumer.class, Runnable.class));
        Supplier<Object> getter = Accessor::leases;
        Consumer<Object> setter = leases -> show((Lease[]) leases);
        Runnable resetter = () -> show(NONE);
        register.invoke(registry, KEY, getter, setter, resetter);
    }

    /** Null if there are none, as the library has it. */
    private static Object leases() {
        if (LeaseContext.idle()) {
            return null;
        }
        Lease[] leases = Submissions.carriedOn(null, Accessor.class);
        return leases.length == 0 ? null : leases;
    }

    private static void show(Lease[] leases) {
        if (leases.length == 0 && LeaseContext.idle()) {
            return;
        }
        Turn turn = TURN.get();
        if (turn != null) {
            TURN.remove();
            // Else the task that it was begun in has ended, and the turn with it.
            if (LeaseContext.ofCurrentThread() == turn.unit()) {
                Units.endTurn(turn.begun());
            }
        }
        Object next = Units.beginTurn(leases);
        if (next != null) {
            TURN.set(new Turn(next, LeaseContext.ofCurrentThread()));
        }
    }
}
