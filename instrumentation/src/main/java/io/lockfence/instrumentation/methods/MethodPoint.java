/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import java.util.Objects;

/**
 * One method that a rule names.
 *
 * @param id that woven calls name it by; unique among the points of this JVM
 * @param role what its calls do
 * @param className binary name of the class, interface or abstract class
 * @param method its name
 * @param parameters descriptor of the parameters alone, such as {@code (Ljava/lang/String;)}
 * @param lock the rule of a lock; null for a fenced method
 * @param target the name of the target that a fenced method is of; null for a lock
 */
public record MethodPoint(
        String id, Role role, String className, String method, String parameters, LockMethods lock, String target) {
    /** What the calls of a method do. */
    public enum Role {
        /** Takes the lock. */
        ACQUIRE,
        /** Prolongs it. */
        RENEW,
        /** Gives it back. */
        RELEASE,
        /** Is fenced by locks. */
        TARGET
    }

    /** The rule, as reports name it. */
    public String rule() {
        return lock == null ? ruleOfTarget(target) : lock.library();
    }

    /** The rule of a target's methods, as reports name it. */
    public static String ruleOfTarget(String target) {
        return "method target " + target;
    }

    /** Whether it is the same but for its id. */
    public boolean isSame(MethodPoint other) {
        return role == other.role
                && className.equals(other.className)
                && method.equals(other.method)
                && parameters.equals(other.parameters)
                && Objects.equals(lock, other.lock)
                && Objects.equals(target, other.target);
    }
}
