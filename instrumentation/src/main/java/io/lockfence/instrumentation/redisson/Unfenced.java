/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import java.util.HashSet;
import java.util.Set;

/**
 * Locks whose holds are not fenced, and why.
 *
 * <p>The members of a {@code RedissonMultiLock} are locks of their own, each with a lease and a resource of its own. But the members of
 * a {@code RedissonRedLock} are one lock on several servers, whose tokens cannot be compared, and a minority of them may be lost; so are
 * members of the same name. A lease for each would refuse its own healthy holder, so those are reported instead.
 */
final class Unfenced {
    private static final Beside<Object, String> GROUPS = new Beside<>();

    /** Groups whose members were looked at. */
    private static final Beside<Object, Boolean> LOOKED_AT = new Beside<>();

    private Unfenced() {}

    /** The type of the group that keeps this lock from being fenced; null if none does. */
    static String groupOf(Object lock) {
        return GROUPS.isEmpty() ? null : GROUPS.get(lock);
    }

    /** A lock of a type that is not fenced is being acquired. */
    static void used(Object lock) {
        LeaseEvents events = Seams.leaseEvents();
        LockType type = LockType.of(lock);
        String name = type.name(lock);
        if (events != null && events.watches(RedissonLibrary.NAME, name)) {
            events.unsupported(RedissonLibrary.NAME, type.simpleName(), name);
        }
    }

    /** A group of locks is about to be acquired; when it was made, nobody may have been there to see. */
    static void met(Object multi) {
        if (LOOKED_AT.get(multi) == null) {
            grouped(multi, LockType.membersOf(multi));
            LOOKED_AT.put(multi, true);
        }
    }

    /** A group of locks was made. */
    static void grouped(Object multi, Object[] members) {
        String group = multi.getClass().getSimpleName();
        boolean oneLock = isRedLock(multi.getClass());
        Set<String> names = new HashSet<>();
        for (Object member : members) {
            LockType type = LockType.of(member);
            oneLock |= type.isLock() && !names.add(type.name(member));
        }
        if (oneLock) {
            for (Object member : members) {
                GROUPS.put(member, group);
            }
        }
    }

    private static boolean isRedLock(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (c.getName().equals("org.redisson.RedissonRedLock")) {
                return true;
            }
        }
        return false;
    }
}
