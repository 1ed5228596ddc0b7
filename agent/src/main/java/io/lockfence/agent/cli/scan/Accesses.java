/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.EffectTable.Effect;
import io.lockfence.agent.cli.scan.Value.Call;
import io.lockfence.agent.cli.scan.Value.Constant;
import io.lockfence.agent.cli.scan.Value.Field;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Whether a call whose name does not tell it writes: by the statement's text, or the request's method. */
final class Accesses {
    /** @param detail what it was told by, for people; empty if by nothing */
    record Told(Access access, String detail) {}

    private static final int LONGEST = 80;
    private static final Set<String> READING = Set.of("get", "head", "options", "trace");
    private static final Set<String> WRITING = Set.of("post", "put", "patch", "delete");
    private static final Pattern CHANGES = Pattern.compile("\\b(insert|update|delete|merge)\\b");

    private Accesses() {}

    /** @param operands the receiver, and the arguments */
    static Told of(Effect effect, String method, List<Value> operands) {
        if (effect.kind() == Kind.DATABASE) {
            String sql = sql(operands);
            if (effect.access() != Access.DEPENDS) {
                return new Told(effect.access(), shortened(sql));
            }
            if (sql == null) {
                return method.equals("executeQuery")
                        ? new Told(Access.READ, "")
                        : new Told(Access.WRITE, "statement not known");
            }
            return new Told(writes(sql) ? Access.WRITE : Access.READ, shortened(sql));
        }
        if (effect.access() != Access.DEPENDS) {
            return new Told(effect.access(), "");
        }
        return http(operands);
    }

    private static Told http(List<Value> operands) {
        for (Value operand : operands) {
            if (operand instanceof Field field && field.owner().endsWith("/HttpMethod")) {
                return method(field.name());
            }
        }
        boolean built = false;
        for (Value operand : operands) {
            for (Value next = operand; next instanceof Call call; ) {
                String name = call.name().toLowerCase(Locale.ROOT);
                if (call.isConstructor()) {
                    String type = call.owner().substring(call.owner().lastIndexOf('/') + 1);
                    if (type.startsWith("Http")
                            && (READING.contains(lower(type.substring(4)))
                                    || WRITING.contains(lower(type.substring(4))))) {
                        return method(type.substring(4));
                    }
                    built |= type.equals("Request$Builder");
                }
                if (READING.contains(name) || WRITING.contains(name)) {
                    return method(call.name());
                }
                if (name.equals("method") || name.equals("setrequestmethod")) {
                    for (Value argument : call.operands()) {
                        if (argument instanceof Constant constant && constant.value() instanceof String text) {
                            return method(text);
                        }
                        if (argument instanceof Field field && field.owner().endsWith("/HttpMethod")) {
                            return method(field.name());
                        }
                    }
                    return new Told(Access.WRITE, "method not known");
                }
                built |= name.equals("newbuilder") && call.owner().equals("java/net/http/HttpRequest");
                next = call.name().equals("newCall") && call.operands().size() == 2
                        ? call.operands().get(1)
                        : call.operands().isEmpty() ? null : call.operands().get(0);
            }
        }
        return built ? method("GET") : new Told(Access.WRITE, "method not known");
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    static Told method(String name) {
        return new Told(READING.contains(lower(name)) ? Access.READ : Access.WRITE, name.toUpperCase(Locale.ROOT));
    }

    /** The text of the statement, as the call or {@code prepareStatement} was given it; null if it is no constant. */
    private static String sql(List<Value> operands) {
        for (int i = 1; i < operands.size(); i++) {
            String text = NameTemplate.of(operands.get(i)).beginning();
            if (text.strip().indexOf(' ') > 0) {
                return text;
            }
        }
        for (Value next = operands.isEmpty() ? null : operands.get(0); next instanceof Call call; ) {
            if (call.operands().size() > 1) {
                String text = NameTemplate.of(call.operands().get(1)).beginning();
                if (text.indexOf(' ') > 0) {
                    return text;
                }
            }
            next = call.operands().isEmpty() ? null : call.operands().get(0);
        }
        return null;
    }

    static boolean writes(String sql) {
        String text = sql.strip().toLowerCase(Locale.ROOT);
        if (text.startsWith("select")
                || text.startsWith("show")
                || text.startsWith("values")
                || text.startsWith("explain")) {
            return false;
        }
        return !text.startsWith("with") || CHANGES.matcher(text).find();
    }

    static String shortened(String text) {
        if (text == null) {
            return "";
        }
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() > LONGEST ? line.substring(0, LONGEST - 1) + "…" : line;
    }
}
