/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.YamlNode.Text;
import java.util.Map;

/** Reads the names of environment variables that hold keys, and looks whether they do. */
final class KeyVariables {
    static final String PATTERN = "[A-Za-z_][A-Za-z0-9_]{0,99}";
    static final String EXAMPLE =
            "expected the name of an environment variable such as STOCK_KEY, never the key itself";

    private final Map<String, String> environment;
    private final Problems problems;

    /** @param environment null to leave open whether the variables are there */
    KeyVariables(Map<String, String> environment, Problems problems) {
        this.environment = environment;
        this.problems = problems;
    }

    /** The name; null if it is none. What is no name may be a key: it is not shown. */
    String read(Section section, String key, Text text) {
        if (!text.value().matches(PATTERN)) {
            problems.add(
                    text, "'" + key + "'" + section.where() + " is not the name of an environment variable", EXAMPLE);
            return null;
        }
        if (environment != null) {
            try {
                SigningKey.of(text.value(), environment);
            } catch (IllegalArgumentException e) {
                problems.add(
                        text,
                        "'" + key + "'" + section.where() + ": " + e.getMessage(),
                        "expected at least " + SigningKey.SHORTEST + " bytes, such as `openssl rand -base64 32` makes");
            }
        }
        return text.value();
    }
}
