/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import java.util.List;

/**
 * What is known of one method of the service.
 *
 * @param key owner (internal name), name and descriptor, as {@link #key(String, String, String)} joins them
 * @param file of the source; empty if the class file does not say
 * @param line where its code begins; 0 if the class file does not say
 * @param overridable whether calls of it can reach a subclass
 * @param transactional null if it opens none
 * @param scheduled the lock of a ShedLock annotation; null if it has none
 * @param events what it does, in order
 * @param calls keys of further methods of the service that it calls
 */
record MethodFacts(
        String key,
        String owner,
        String name,
        String file,
        int line,
        boolean overridable,
        Transactional transactional,
        Scheduled scheduled,
        List<Event> events,
        List<String> calls) {
    /**
     * @param propagation as the annotation names it, such as {@code REQUIRES_NEW}
     * @param timeout in seconds; 0 if it has none
     */
    record Transactional(String propagation, boolean readOnly, int timeout) {
        /** Whether it never runs in its caller's transaction. */
        boolean separate() {
            return propagation.equals("REQUIRES_NEW")
                    || propagation.equals("NOT_SUPPORTED")
                    || propagation.equals("NEVER");
        }

        /** Whether a transaction is open in it for sure. */
        boolean opens() {
            return !propagation.equals("NOT_SUPPORTED")
                    && !propagation.equals("NEVER")
                    && !propagation.equals("SUPPORTS");
        }
    }

    record Scheduled(String name, String atMost) {}

    static String key(String owner, String name, String descriptor) {
        return owner + "." + name + descriptor;
    }

    /** For people: class without package, and method; a lambda is told by the method that it stands in. */
    String shortName() {
        String type = owner.substring(owner.lastIndexOf('/') + 1).replace('$', '.');
        return type + "." + plainName();
    }

    /** {@code lambda$work$0} stands in work. */
    String plainName() {
        if (!name.startsWith("lambda$")) {
            return name.equals("<init>") ? "new" : name;
        }
        String[] parts = name.split("\\$", -1);
        return parts.length > 1 && !parts[1].isEmpty() ? parts[1] : name;
    }

    Place at(int at) {
        return new Place(owner.replace('/', '.'), plainName(), file, at);
    }
}
