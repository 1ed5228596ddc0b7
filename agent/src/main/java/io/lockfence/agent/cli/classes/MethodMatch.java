/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.classes;

import java.util.List;

/**
 * Which methods of an index a pattern means.
 *
 * @param methods whose bodies are meant; each once
 * @param near what is nearly meant, and why it is not; only where {@link #methods} is empty
 */
public record MethodMatch(List<Found> methods, List<Near> near) {
    public MethodMatch {
        methods = List.copyOf(methods);
        near = List.copyOf(near);
    }

    /** Why a method is meant. */
    public enum How {
        /** The named class has it. */
        DECLARED,
        /** The named class has it from a superclass or interface. */
        INHERITED,
        /** It implements or overrides the named one. */
        IMPLEMENTS
    }

    /**
     * A method that is meant.
     *
     * @param declaring the class whose method body it is
     */
    public record Found(ClassOutline declaring, MethodOutline method, How how) {
        @Override
        public String toString() {
            return declaring.name() + "#" + method.written();
        }
    }

    /**
     * What is nearly meant.
     *
     * @param what the method or class, as a rule would write it
     * @param why it does not match, for people
     */
    public record Near(String what, String why) {
        @Override
        public String toString() {
            return what + ": " + why;
        }
    }

    public boolean found() {
        return !methods.isEmpty();
    }
}
