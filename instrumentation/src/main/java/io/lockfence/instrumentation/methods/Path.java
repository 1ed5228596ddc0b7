/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import java.util.List;

/**
 * Where a value of a call is found.
 *
 * @param root where it begins
 * @param argument which argument, from 0; 0 for other roots
 * @param steps methods without parameters, getters or fields, one after the other
 */
public record Path(Root root, int argument, List<String> steps) {
    /** Where a path begins. */
    public enum Root {
        /** An argument of the call. */
        ARGUMENT,
        /** What the call returned: the value in an {@code Optional} or {@code CompletionStage}. */
        RESULT,
        /** The object that the method was called on. */
        THIS
    }

    public Path {
        steps = List.copyOf(steps);
    }

    /** As rules write it. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(
                switch (root) {
                    case ARGUMENT -> "arg" + argument;
                    case RESULT -> "result";
                    case THIS -> "this";
                });
        steps.forEach(step -> text.append('.').append(step));
        return text.toString();
    }
}
