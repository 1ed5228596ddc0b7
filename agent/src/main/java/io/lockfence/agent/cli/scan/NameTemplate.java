/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.Value.Call;
import io.lockfence.agent.cli.scan.Value.Constant;
import io.lockfence.agent.cli.scan.Value.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.bytebuddy.jar.asm.Type;

/**
 * A text with holes, as the code puts it together.
 *
 * @param parts literals, and null for what is known at run time only; never two literals or two holes in a row
 */
record NameTemplate(List<String> parts) {
    /** Calls that give the text of their receiver, or of their first argument. */
    private static final Set<String> SAME_TEXT = Set.of(
            "java/lang/String.valueOf",
            "java/lang/String.toString",
            "java/lang/String.intern",
            "java/lang/String.getBytes",
            "java/lang/Long.valueOf",
            "java/lang/Integer.valueOf",
            "java/lang/Long.toString",
            "java/lang/Integer.toString",
            "io/etcd/jetcd/ByteSequence.from");

    /** {@code CommonOptions.name("order").retryAttempts(3)}. */
    private static final String REDISSON_OPTIONS = "org/redisson/api/options/";

    private static final Pattern FORMAT = Pattern.compile("%(?:\\d+\\$)?[-#+ 0,(]*\\d*(?:\\.\\d+)?(?:[tT]?[a-zA-Z]|%)");

    /** What is known of a text; one hole if nothing is. */
    static NameTemplate of(Value value) {
        List<String> parts = new ArrayList<>();
        append(value, parts, 0);
        List<String> joined = new ArrayList<>();
        for (String part : parts) {
            int last = joined.size() - 1;
            if (part == null) {
                if (last < 0 || joined.get(last) != null) {
                    joined.add(null);
                }
            } else if (!part.isEmpty()) {
                if (last >= 0 && joined.get(last) != null) {
                    joined.set(last, joined.get(last) + part);
                } else {
                    joined.add(part);
                }
            }
        }
        return new NameTemplate(joined);
    }

    private static void append(Value value, List<String> parts, int depth) {
        if (depth > 50) {
            parts.add(null);
        } else if (value instanceof Constant constant) {
            parts.add(
                    constant.value() == null || constant.value() instanceof Type
                            ? null
                            : String.valueOf(constant.value()));
        } else if (value instanceof Operation operation && operation.what().equals("concat")) {
            operation.operands().forEach(operand -> append(operand, parts, depth + 1));
        } else if (value instanceof Call call) {
            appendCall(call, parts, depth);
        } else {
            parts.add(null);
        }
    }

    private static void appendCall(Call call, List<String> parts, int depth) {
        boolean builder =
                call.owner().equals("java/lang/StringBuilder") || call.owner().equals("java/lang/StringBuffer");
        if (builder && call.name().equals("toString")) {
            append(call.operands().get(0), parts, depth + 1);
        } else if (builder && call.name().equals("append") && call.operands().size() == 2) {
            append(call.operands().get(0), parts, depth + 1);
            appendTo(call, parts, depth);
        } else if (builder && call.isConstructor()) {
            if (call.descriptor().startsWith("(Ljava/lang/String;")) {
                append(call.operands().get(0), parts, depth + 1);
            }
        } else if (call.owner().equals("java/lang/String") && call.name().equals("concat")) {
            call.operands().forEach(operand -> append(operand, parts, depth + 1));
        } else if (!call.operands().isEmpty()
                && (SAME_TEXT.contains(call.owner() + "." + call.name())
                        || call.owner().startsWith(REDISSON_OPTIONS))) {
            append(call.operands().get(0), parts, depth + 1);
        } else if (call.owner().equals("java/lang/String")
                && (call.name().equals("format") || call.name().equals("formatted"))) {
            format(call, parts, depth);
        } else {
            parts.add(null);
        }
    }

    /** A char is an int constant in the code. */
    private static void appendTo(Call append, List<String> parts, int depth) {
        Value added = append.operands().get(1);
        Long number = append.descriptor().startsWith("(C)") ? Times.number(added) : null;
        if (number == null) {
            append(added, parts, depth + 1);
        } else {
            parts.add(String.valueOf((char) number.intValue()));
        }
    }

    private static void format(Call call, List<String> parts, int depth) {
        List<Value> arguments = call.operands().stream()
                .filter(Value.Array.class::isInstance)
                .map(operand -> ((Value.Array) operand).elements())
                .findFirst()
                .orElse(List.of());
        int next = 0;
        for (Value operand : call.operands()) {
            if (operand instanceof Constant constant && constant.value() instanceof String text) {
                Matcher matcher = FORMAT.matcher(text);
                int from = 0;
                while (matcher.find()) {
                    parts.add(text.substring(from, matcher.start()));
                    String directive = matcher.group();
                    if (directive.equals("%n") || directive.endsWith("%")) {
                        parts.add(directive.equals("%n") ? "\n" : "%");
                    } else {
                        boolean plain = directive.equals("%s") || directive.equals("%d");
                        append(
                                plain && next < arguments.size() ? arguments.get(next) : new Value.Unknown(0),
                                parts,
                                depth + 1);
                        next++;
                    }
                    from = matcher.end();
                }
                parts.add(text.substring(from));
                return;
            }
        }
        parts.add(null);
    }

    /** Whether nothing of it is known. */
    boolean unknown() {
        return parts.stream().noneMatch(part -> part != null);
    }

    /** The literal that it begins with; empty if it begins with a hole. */
    String beginning() {
        return parts.isEmpty() || parts.get(0) == null ? "" : parts.get(0);
    }

    /** As a key of the rules: {@code order:{id}}; {@code *} if nothing is known. */
    String key() {
        if (unknown()) {
            return "*";
        }
        long holes = parts.stream().filter(part -> part == null).count();
        StringBuilder key = new StringBuilder();
        int hole = 0;
        for (String part : parts) {
            if (part == null) {
                key.append(holes == 1 ? "{id}" : "{id" + ++hole + "}");
            } else {
                key.append(part.replace("{", "{{").replace("}", "}}"));
            }
        }
        return key.toString();
    }

    @Override
    public String toString() {
        return key();
    }
}
