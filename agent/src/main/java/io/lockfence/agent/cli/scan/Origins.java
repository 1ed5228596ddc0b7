/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.LockTable.LockMethod;
import io.lockfence.agent.cli.scan.LockTable.Role;
import io.lockfence.agent.cli.scan.Value.Call;
import io.lockfence.agent.cli.scan.Value.Field;
import java.util.List;
import java.util.Map;

/** Where a lock object comes from: which library made it, under which name. */
final class Origins {
    /** @param name of the lock; null if it is not known */
    record Origin(LockMethod factory, Value name, boolean fenced) {}

    private static final int DEEPEST = 8;

    private final Known known;
    private final OwnMethods service;
    private final Map<Field, List<Value>> fields;

    /** @param fields what the service assigns to its fields */
    Origins(Known known, OwnMethods service, Map<Field, List<Value>> fields) {
        this.known = known;
        this.service = service;
        this.fields = fields;
    }

    /** @return null if it was not made by a library that is known */
    Origin of(Value lock) {
        return of(lock, 0);
    }

    private Origin of(Value lock, int depth) {
        if (depth > DEEPEST) {
            return null;
        }
        if (lock instanceof Field field) {
            Value assigned = assigned(field);
            return assigned == null ? null : of(assigned, depth + 1);
        }
        if (!(lock instanceof Call call)) {
            return null;
        }
        LockMethod factory = known.lock(call.owner(), call.name(), call.descriptor());
        if (factory != null && factory.role() == Role.FACTORY) {
            int shift = call.isConstructor() ? 0 : 1;
            int at = factory.nameArgument() + shift;
            if (factory.nameArgument() >= 0) {
                return new Origin(
                        factory,
                        at < call.operands().size() ? plain(call.operands().get(at)) : null,
                        factory.fenced());
            }
            Origin of = call.operands().isEmpty() ? null : of(call.operands().get(0), depth + 1);
            return new Origin(factory, of == null ? null : of.name(), factory.fenced());
        }
        if (service.owns(call.owner())) {
            Value returned = service.summary(call.owner(), call.name(), call.descriptor())
                    .returned();
            // The caller's own analysis has put in what it knew; the rest is known at run time only.
            return returned == null ? null : of(Value.withArguments(returned, List.of(), call.place()), depth + 1);
        }
        // ShedLock's SimpleLock is what the acquire returned; Optional.get() and the like stand between.
        return call.operands().isEmpty() ? null : of(call.operands().get(0), depth + 1);
    }

    /** The name as it is put together, with fields replaced by what is assigned to them. */
    Value plain(Value name) {
        if (name instanceof Field field) {
            Value assigned = assigned(field);
            return assigned == null ? name : assigned;
        }
        if (name instanceof Call call && service.owns(call.owner())) {
            Value returned = service.summary(call.owner(), call.name(), call.descriptor())
                    .returned();
            return returned == null ? name : Value.withArguments(returned, List.of(), call.place());
        }
        return name;
    }

    /** The one value that is ever assigned; null if there are more, or none. */
    private Value assigned(Field field) {
        List<Value> values = fields.getOrDefault(field, List.of());
        return values.size() == 1 ? values.get(0) : null;
    }
}
