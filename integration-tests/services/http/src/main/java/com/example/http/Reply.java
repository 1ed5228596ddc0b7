/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http;

import java.util.List;
import java.util.Map;

/**
 * An answer: what a handler gives, and what a client gets.
 *
 * @param status of HTTP
 * @param headers the values of each field line, by name in small letters
 * @param body empty if there is none
 */
public record Reply(int status, Map<String, List<String>> headers, String body) {
    /** Plain text. */
    public static Reply text(int status, String body) {
        return new Reply(status, Map.of("content-type", List.of("text/plain;charset=utf-8")), body);
    }

    /** The first value of a header; empty if there is none. */
    public String header(String name) {
        List<String> values = headers.getOrDefault(name, List.of());
        return values.isEmpty() ? "" : values.get(0);
    }
}
