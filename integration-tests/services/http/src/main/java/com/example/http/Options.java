/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http;

import java.util.LinkedHashMap;
import java.util.Map;

/** {@code --name=value} on the command line. */
public record Options(Map<String, String> values) {
    public static Options of(String[] args) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (!arg.startsWith("--") || equals < 0) {
                throw new IllegalArgumentException("expected --name=value, got " + arg);
            }
            values.put(arg.substring(2, equals), arg.substring(equals + 1));
        }
        return new Options(values);
    }

    public String get(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("--" + name + "=… is missing");
        }
        return value;
    }

    public String get(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }
}
