/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import java.util.List;

/**
 * What a caller must know of a method of the service. Values speak of the method's own parameters.
 *
 * @param returned what it returns, whichever way it ends; null if that differs
 * @param taken locks that it holds when it returns
 * @param released locks that it gives back and has not taken
 */
record Summary(Value returned, List<Lock> taken, List<Lock> released) {
    /**
     * @param library null where only the object's origin tells
     * @param onResult whether it is held only if the method's result says so
     */
    record Lock(String library, Value identity, Value name, boolean onResult) {}

    static final Summary NOTHING = new Summary(null, List.of(), List.of());

    boolean tellsOfLocks() {
        return !taken.isEmpty() || !released.isEmpty();
    }
}
