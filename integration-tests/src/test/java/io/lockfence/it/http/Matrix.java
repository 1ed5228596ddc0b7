/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The clients and servers, as {@code com.example.http.Adapters} names them: adapter, and the library's version. */
final class Matrix {
    static final List<String> CLIENTS =
            List.of("JdkSync", "JdkAsync", "UrlConnection", "OkHttpSync@okhttp-5.5.1", "OkHttpAsync@okhttp-5.5.1");

    static final List<String> SERVERS = List.of("JdkServer");

    private Matrix() {}

    /** Those that a request of HTTP/1.1 reaches. */
    static Stream<String> plainServers() {
        return SERVERS.stream().filter(server -> !server.startsWith("Grpc"));
    }

    /** What is run, in Markdown: each adapter with the versions of its library. */
    static String table() {
        return "| | library | versions | through |\n|---|---|---|---|\n" + rows("out", CLIENTS) + rows("in", SERVERS);
    }

    private static String rows(String way, List<String> names) {
        Map<String, Set<String>> versions = new TreeMap<>();
        Map<String, Set<String>> adapters = new TreeMap<>();
        for (String name : names) {
            int at = name.indexOf('@');
            String adapter = at < 0 ? name : name.substring(0, at);
            String jars = at < 0 ? "jdk-17 and 25" : name.substring(at + 1);
            String library = jars.replaceAll("-\\d.*", "");
            versions.computeIfAbsent(library, key -> new TreeSet<>()).add(jars.substring(library.length() + 1));
            adapters.computeIfAbsent(library, key -> new TreeSet<>()).add(adapter);
        }
        StringBuilder rows = new StringBuilder();
        versions.forEach((library, of) -> rows.append("| ")
                .append(way)
                .append(" | ")
                .append(library)
                .append(" | ")
                .append(String.join(", ", of))
                .append(" | ")
                .append(String.join(", ", adapters.get(library)))
                .append(" |\n"));
        return rows.toString();
    }
}
