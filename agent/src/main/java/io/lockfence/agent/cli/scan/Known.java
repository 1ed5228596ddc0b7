/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.classes.ClassIndex;
import io.lockfence.agent.cli.scan.EffectTable.Boundary;
import io.lockfence.agent.cli.scan.EffectTable.Effect;
import io.lockfence.agent.cli.scan.EffectTable.Timeout;
import io.lockfence.agent.cli.scan.LockTable.LockMethod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tells the calls that the tables know, through the hierarchy of the service's classes. Owners are internal names, as in class files. */
final class Known {
    private static final String JDK_LOCK = "java.util.concurrent.locks.Lock";
    /** Lock the threads of one process, whatever they are called through. */
    private static final Set<String> LOCAL_LOCKS = Set.of(
            "java.util.concurrent.locks.ReentrantLock",
            "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock",
            "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock");

    /** A call through the JDK's own interface: whose lock it is depends on where the object comes from. */
    enum JdkCall {
        ACQUIRE,
        TRY,
        RELEASE
    }

    private final ClassIndex index;
    private final LockTable locks = new LockTable();
    private final Map<String, Set<String>> supertypes = new HashMap<>();
    private final Map<String, List<Effect>> effects = new HashMap<>();
    private final Map<String, Boolean> interesting = new HashMap<>();
    private final Set<String> owners = new HashSet<>(Set.of(JDK_LOCK, "java.sql.Connection"));
    private final Set<String> timeoutNames = new HashSet<>();
    private final Set<String> boundaryNames = new HashSet<>(Set.of("setAutoCommit"));

    Known(ClassIndex index) {
        this.index = index;
        EffectTable.TIMEOUTS.forEach(timeout -> {
            timeoutNames.add(timeout.name());
            owners.add(timeout.owner());
        });
        EffectTable.BOUNDARIES.forEach(boundary -> {
            boundaryNames.add(boundary.name());
            owners.add(boundary.owner());
        });
        EffectTable.EFFECTS.forEach(effect -> owners.addAll(effect.owners()));
        owners.addAll(EffectTable.EXECUTORS);
        owners.addAll(EffectTable.TRANSACTION_TEMPLATES.keySet());
        owners.addAll(locks.owners());
    }

    /** Whether any table has methods of the class, an internal name. Most classes end here. */
    boolean isInteresting(String owner) {
        return interesting.computeIfAbsent(owner, name -> isAny(name, owners));
    }

    /** Whether the call is one that a method must be followed for. */
    boolean matters(String owner, String name, String descriptor) {
        return isInteresting(owner)
                && (lock(owner, name, descriptor) != null
                        || jdkLock(owner, name) != null
                        || effect(owner, name) != null
                        || boundary(owner, name) != null
                        || isSetAutoCommit(owner, name)
                        || timeout(owner, name, descriptor) != null
                        || isTransactionTemplate(owner, name)
                        || isExecutor(owner));
    }

    LockTable table() {
        return locks;
    }

    /** Whether the class, an internal name, is the type, a binary name, or one of its subtypes. */
    boolean isA(String owner, String type) {
        return supertypes(owner).contains(type);
    }

    private Set<String> supertypes(String owner) {
        return supertypes.computeIfAbsent(owner, name -> index.supertypesOf(name.replace('/', '.')));
    }

    private boolean isAny(String owner, Set<String> types) {
        for (String type : supertypes(owner)) {
            if (types.contains(type)) {
                return true;
            }
        }
        return false;
    }

    /** The lock library's method that is called; null if it is none. */
    LockMethod lock(String owner, String name, String descriptor) {
        for (LockMethod method : locks.named(name)) {
            // An attempt without a result is a method of the library's own, behind its interface.
            boolean tells = method.role() != LockTable.Role.TRY || !descriptor.endsWith(")V");
            if (tells && descriptor.startsWith(method.descriptor()) && isA(owner, method.owner())) {
                return method;
            }
        }
        return null;
    }

    /** What is done to a lock of the JDK's interface; null if it is another call. */
    JdkCall jdkLock(String owner, String name) {
        if (owner.startsWith("[") || !isA(owner, JDK_LOCK) || LOCAL_LOCKS.contains(owner.replace('/', '.'))) {
            return null;
        }
        return switch (name) {
            case "lock", "lockInterruptibly" -> JdkCall.ACQUIRE;
            case "tryLock" -> JdkCall.TRY;
            case "unlock" -> JdkCall.RELEASE;
            default -> null;
        };
    }

    /** What the call reads or writes; null if nothing that is known. */
    Effect effect(String owner, String name) {
        List<Effect> ofOwner = effects.computeIfAbsent(owner, key -> {
            List<Effect> some = new ArrayList<>();
            for (Effect effect : EffectTable.EFFECTS) {
                if (isAny(key, effect.owners())) {
                    some.add(effect);
                }
            }
            return some;
        });
        for (Effect effect : ofOwner) {
            if (effect.names(name)) {
                return effect;
            }
        }
        return null;
    }

    /** Where a transaction begins or ends; null elsewhere. */
    Boundary boundary(String owner, String name) {
        if (!boundaryNames.contains(name)) {
            return null;
        }
        for (Boundary boundary : EffectTable.BOUNDARIES) {
            if (boundary.name().equals(name) && isA(owner, boundary.owner())) {
                return boundary;
            }
        }
        return null;
    }

    boolean isSetAutoCommit(String owner, String name) {
        return name.equals("setAutoCommit") && isA(owner, "java.sql.Connection");
    }

    Timeout timeout(String owner, String name, String descriptor) {
        if (!timeoutNames.contains(name)) {
            return null;
        }
        for (Timeout timeout : EffectTable.TIMEOUTS) {
            if (timeout.name().equals(name)
                    && descriptor.startsWith(timeout.descriptor())
                    && isA(owner, timeout.owner())) {
                return timeout;
            }
        }
        return null;
    }

    boolean isTransactionTemplate(String owner, String name) {
        for (Map.Entry<String, Set<String>> template : EffectTable.TRANSACTION_TEMPLATES.entrySet()) {
            if (EffectTable.isOneOf(name, template.getValue()) && isA(owner, template.getKey())) {
                return true;
            }
        }
        return false;
    }

    boolean isExecutor(String owner) {
        return isAny(owner, EffectTable.EXECUTORS);
    }
}
