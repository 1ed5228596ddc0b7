/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/**
 * The path of a request as WebFlux routes it: each segment without its parameters and decoded. Dot segments are segments like others there, so they are
 * here.
 */
final class Paths {
    private Paths() {}

    /** @param uri of the request line: a path, or with scheme and host before it; with the query */
    static String seen(String uri) {
        String path = uri;
        int scheme = path.startsWith("/") ? -1 : path.indexOf("://");
        if (scheme > 0) {
            int slash = path.indexOf('/', scheme + 3);
            path = slash < 0 ? "/" : path.substring(slash);
        }
        path = cut(cut(path, '?'), '#');
        StringJoiner seen = new StringJoiner("/");
        for (String segment : path.split("/", -1)) {
            // A slash within a segment is none: patterns must not take it for one.
            seen.add(decoded(cut(segment, ';')).replace("/", "%2F"));
        }
        return seen.toString();
    }

    private static String cut(String text, char at) {
        int end = text.indexOf(at);
        return end < 0 ? text : text.substring(0, end);
    }

    private static String decoded(String segment) {
        if (segment.indexOf('%') < 0) {
            return segment;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] raw = segment.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < raw.length; i++) {
            int high = i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
            int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
            if (raw[i] == '%' && high >= 0 && low >= 0) {
                bytes.write(high << 4 | low);
                i += 2;
            } else {
                bytes.write(raw[i]);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
