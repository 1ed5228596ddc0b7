/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.List;
import java.util.Objects;

/**
 * Where a method rule finds a value: {@code arg0}, {@code result.fencingToken}, {@code this.name}. Each step is a method without parameters of that
 * name (a record's component too), a getter, or a field, in this order. Immutable.
 *
 * @param root where it begins
 * @param argument which argument, from 0; 0 for other roots
 * @param steps from there on
 */
public record ValuePath(Root root, int argument, List<String> steps) {
    /** Where a path begins. */
    public enum Root {
        /** An argument of the call. */
        ARGUMENT,
        /** What the call returned: the value in an {@code Optional} or {@code CompletionStage}. */
        RESULT,
        /** The object that the method was called on. */
        THIS
    }

    private static final int MOST_STEPS = 10;
    private static final List<String> ROOTS = List.of("arg0", "result", "this");

    public ValuePath {
        Objects.requireNonNull(root);
        steps = List.copyOf(steps);
    }

    /**
     * Reads a path.
     *
     * @throws WrongText saying what is wrong with it
     */
    static ValuePath parse(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length - 1 > MOST_STEPS) {
            throw new WrongText("it has more than " + MOST_STEPS + " steps", "");
        }
        for (int i = 1; i < parts.length; i++) {
            if (parts[i].endsWith("()")) {
                throw new WrongText("a method in it is written without parentheses", text.replace("()", ""));
            }
            if (!isIdentifier(parts[i])) {
                throw new WrongText(
                        parts[i].isEmpty()
                                ? "a '.' with no name behind it"
                                : "'" + Problem.shown(parts[i]) + "' is no name of a method or field",
                        "");
            }
        }
        List<String> steps = List.of(parts).subList(1, parts.length);
        return switch (parts[0]) {
            case "result" -> new ValuePath(Root.RESULT, 0, steps);
            case "this" -> new ValuePath(Root.THIS, 0, steps);
            default -> new ValuePath(Root.ARGUMENT, argument(parts[0], text), steps);
        };
    }

    private static int argument(String root, String text) {
        if (root.matches("arg[0-9]{1,3}")) {
            int argument = Integer.parseInt(root.substring(3));
            if (argument < 255 && root.equals("arg" + argument)) {
                return argument;
            }
        }
        String rest = text.substring(root.length());
        String nearest = root.matches("(args?|argument|param|p)?\\[?[0-9]{1,2}\\]?")
                ? "arg" + root.replaceAll("[^0-9]", "")
                : Nearest.to(root, ROOTS);
        throw new WrongText("it begins with '" + Problem.shown(root) + "'", nearest.isEmpty() ? "" : nearest + rest);
    }

    private static boolean isIdentifier(String name) {
        return !name.isEmpty()
                && Character.isJavaIdentifierStart(name.charAt(0))
                && name.chars().allMatch(Character::isJavaIdentifierPart);
    }

    /** As it stands in the rules. */
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
