/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.List;

/** A piece of the file and where it stands; line and column count from 1. */
sealed interface YamlNode {
    int line();

    int column();

    /**
     * @param value as written, without quotes
     * @param plain whether it stood without quotes, so that it may be meant as a number or a truth value
     */
    record Text(String value, boolean plain, int line, int column) implements YamlNode {
        /** {@code key:} with nothing behind it, or an explicit null. */
        boolean absent() {
            return plain && (value.isEmpty() || value.equals("~") || value.equalsIgnoreCase("null"));
        }
    }

    record Items(List<YamlNode> items, int line, int column) implements YamlNode {}

    record Table(List<Entry> entries, int line, int column) implements YamlNode {}

    /** Keys that stand twice in a table are two entries. */
    record Entry(YamlNode key, YamlNode value) {}
}
