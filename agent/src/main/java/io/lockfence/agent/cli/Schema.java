/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.config.RulesSchema;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the JSON Schema of rules files. */
@Command(
        name = "schema",
        description =
                "Prints the JSON Schema of rules files: with it an editor completes keys and words, explains them, and marks "
                        + "most mistakes while you type. What entries say of one another only 'check' sees.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Built.class,
        footer = {
            "%nExample:",
            "  java -jar lockfence.jar schema > lockfence.schema.json",
            "and, as the first line of lockfence.yaml:",
            "  " + RulesSchema.COMMENT
        })
final class Schema implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().getOut().print(json());
        spec.commandLine().getOut().flush();
        return 0;
    }

    /** The schema as text, one key a line. */
    static String json() {
        StringBuilder json = new StringBuilder();
        write(RulesSchema.tree(), "\n", json);
        return json.append('\n').toString();
    }

    private static void write(Object value, String newLine, StringBuilder json) {
        if (value instanceof Map<?, ?> table) {
            json.append('{');
            for (Iterator<? extends Map.Entry<?, ?>> entries = table.entrySet().iterator(); entries.hasNext(); ) {
                Map.Entry<?, ?> entry = entries.next();
                json.append(newLine).append("  ");
                quote(String.valueOf(entry.getKey()), json);
                json.append(": ");
                write(entry.getValue(), newLine + "  ", json);
                json.append(entries.hasNext() ? "," : newLine);
            }
            json.append('}');
        } else if (value instanceof List<?> items) {
            json.append('[');
            for (Iterator<?> each = items.iterator(); each.hasNext(); ) {
                write(each.next(), newLine + "  ", json);
                json.append(each.hasNext() ? ", " : "");
            }
            json.append(']');
        } else if (value instanceof String text) {
            quote(text, json);
        } else {
            json.append(value);
        }
    }

    private static void quote(String text, StringBuilder json) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
