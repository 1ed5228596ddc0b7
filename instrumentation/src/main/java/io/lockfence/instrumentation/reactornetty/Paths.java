/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import io.lockfence.instrumentation.Spellings;
import java.util.StringJoiner;

/**
 * The path of a request as WebFlux routes it: each segment without its parameters and decoded. Dot segments are segments like others there, so they are
 * here.
 */
final class Paths {
    private Paths() {}

    /** @param uri of the request line: a path, or with scheme and host before it; with the query */
    static String seen(String uri) {
        String path = Spellings.afterAuthority(raw(uri));
        StringJoiner seen = new StringJoiner("/");
        for (String segment : path.split("/", -1)) {
            // A slash within a segment is none: patterns must not take it for one.
            seen.add(Spellings.decoded(cut(segment, ';')).replace("/", "%2F"));
        }
        return seen.toString();
    }

    /** The same as it came, without the query: a handler may decode it as a whole. */
    static String raw(String uri) {
        return cut(cut(uri, '?'), '#');
    }

    private static String cut(String text, char at) {
        int end = text.indexOf(at);
        return end < 0 ? text : text.substring(0, end);
    }
}
