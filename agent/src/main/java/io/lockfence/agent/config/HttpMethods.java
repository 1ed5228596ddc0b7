/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.YamlNode.Text;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Reads the key {@code methods} of targets and of rules on what comes in. */
final class HttpMethods {
    static final String KEY = "methods";

    /** Of RFC 9110, PATCH, QUERY and WebDAV. */
    static final List<String> ALL = List.of(
            "GET",
            "HEAD",
            "POST",
            "PUT",
            "PATCH",
            "DELETE",
            "OPTIONS",
            "TRACE",
            "QUERY",
            "PROPFIND",
            "PROPPATCH",
            "MKCOL",
            "COPY",
            "MOVE",
            "LOCK",
            "UNLOCK");

    private static final String EXAMPLE = "expected a list such as [POST, PUT]";

    private HttpMethods() {}

    /**
     * The methods of an entry.
     *
     * @param whenEmpty what to do instead of writing an empty list
     */
    static Set<String> read(Section section, Set<String> otherwise, String whenEmpty, Problems problems) {
        if (!section.has(KEY)) {
            return otherwise;
        }
        Set<String> methods = new LinkedHashSet<>();
        for (Text text : section.texts(KEY, EXAMPLE, whenEmpty)) {
            String what = "'" + KEY + "'" + section.where() + " names the method '" + Problem.shown(text.value()) + "'";
            if (!ALL.contains(text.value())) {
                problems.add(text, what + ", which is none of HTTP", Section.oneOf(ALL), Nearest.to(text.value(), ALL));
            } else if (!methods.add(text.value())) {
                problems.add(text, what + " twice", "remove one");
            }
        }
        return methods;
    }
}
