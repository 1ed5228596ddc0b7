/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.agent.config.HeldWhen;
import io.lockfence.agent.config.LeaseScope;
import io.lockfence.agent.config.LeaseTime;
import io.lockfence.agent.config.LockRule;
import io.lockfence.agent.config.MethodDestination;
import io.lockfence.agent.config.MethodLocks;
import io.lockfence.agent.config.MethodName;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.config.ValuePath;
import io.lockfence.instrumentation.methods.LockMethods;
import io.lockfence.instrumentation.methods.MethodPoint;
import io.lockfence.instrumentation.methods.MethodPoint.Role;
import io.lockfence.instrumentation.methods.Path;
import java.util.ArrayList;
import java.util.List;

/** Turns the method rules into what the weaver and the integration of methods understand. */
public final class MethodPoints {
    private MethodPoints() {}

    /** Every method that the rules name; empty if none does. */
    public static List<MethodPoint> of(Rules rules) {
        List<MethodPoint> points = new ArrayList<>();
        for (LockRule rule : rules.locks()) {
            if (rule.origin() instanceof MethodLocks methods && rule.mode() != Mode.OFF) {
                LockMethods lock = lock(methods);
                add(points, Role.ACQUIRE, methods.acquire(), lock, null);
                add(points, Role.RENEW, methods.renew(), lock, null);
                add(points, Role.RELEASE, methods.release(), lock, null);
            }
        }
        for (TargetRule target : rules.targets()) {
            if (target.destination() instanceof MethodDestination methods) {
                add(points, Role.TARGET, methods.methods(), null, target.name());
            }
        }
        return points;
    }

    private static void add(
            List<MethodPoint> points, Role role, List<MethodName> names, LockMethods lock, String target) {
        for (MethodName name : names) {
            points.add(new MethodPoint(
                    Integer.toString(points.size()),
                    role,
                    name.className(),
                    name.method(),
                    name.descriptor(),
                    lock,
                    target));
        }
    }

    private static LockMethods lock(MethodLocks methods) {
        List<LockMethods.Part> resource = methods.resource().parts().stream()
                .map(part -> new LockMethods.Part(part.literal(), path(part.path())))
                .toList();
        return new LockMethods(
                methods.library(),
                methods.when() == HeldWhen.ALWAYS,
                resource,
                lease(methods.lease()),
                path(methods.token()),
                !methods.release().isEmpty(),
                methods.scope() == LeaseScope.PROCESS);
    }

    private static LockMethods.LeaseTime lease(LeaseTime lease) {
        return lease == null
                ? null
                : new LockMethods.LeaseTime(
                        lease.constant(), path(lease.value()), lease.unit(), path(lease.unitValue()));
    }

    private static Path path(ValuePath path) {
        return path == null ? null : new Path(Path.Root.valueOf(path.root().name()), path.argument(), path.steps());
    }
}
