/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Units;
import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.Inbound;
import java.lang.invoke.MethodHandle;

/** A piece of work on an event loop, for one request. */
final class Turn {
    /** What each attempt that went out is under. */
    private static final Beside<Object, Lease[]> LEASES = new Beside<>();

    private static final ClassValue<MethodHandle> PARENT = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> body) {
            return Handles.getter(body, "parent");
        }
    };

    private final LeaseContext before;

    private Turn(LeaseContext before) {
        this.before = before;
    }

    /** From here on the body of this operation, as it comes in, is delivered under leases. */
    static void remember(Object operations, Lease[] leases) {
        if (leases.length > 0) {
            LEASES.put(operations, leases);
        }
    }

    static Turn begin(Lease[] leases) {
        return new Turn(LeaseContext.beginUnit(leases));
    }

    /** Of a request that came in. */
    static Turn begin(Inbound request) {
        return new Turn(request.begin());
    }

    /** Null where there is nothing to do. */
    static Object ofBody(Object body) {
        if (LEASES.isEmpty() && !Inbound.ever()) {
            return null;
        }
        try {
            Object operations = PARENT.get(body.getClass()).invoke(body);
            Inbound admitted = Inbound.of(operations);
            if (admitted != null) {
                return admitted.mayBeReplaced() ? begin(admitted) : null;
            }
            Lease[] leases = LEASES.get(operations);
            return leases == null ? null : begin(leases);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /** Ends what was begun here, also by a throw; nothing else. */
    static void end(Object turn) {
        if (turn instanceof Turn begun) {
            Units.end(begun.before, null);
        }
    }
}
