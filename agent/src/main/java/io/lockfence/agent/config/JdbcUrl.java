/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.List;

/** What may be said of a JDBC URL, and the ways to write the same PostgreSQL database. */
public final class JdbcUrl {
    private static final String POSTGRESQL = "jdbc:postgresql:";
    private static final String DEFAULT_PORT = ":5432";

    private JdbcUrl() {}

    /**
     * The URL as it may be logged: without parameters and credentials.
     *
     * @param url may be null
     */
    public static String shown(String url) {
        if (url == null) {
            return "(no URL)";
        }
        String plain = withoutParameters(url);
        int at = plain.lastIndexOf('@');
        if (at < 0) {
            return plain;
        }
        int slashes = plain.indexOf("//");
        int start = slashes >= 0 && slashes < at ? slashes + 2 : plain.indexOf(':', plain.indexOf(':') + 1) + 1;
        return start > at ? "(a URL with credentials)" : plain.substring(0, start) + "***" + plain.substring(at);
    }

    private static String withoutParameters(String url) {
        for (int i = 0; i < url.length(); i++) {
            if (url.charAt(i) == '?' || url.charAt(i) == ';') {
                return url.substring(0, i);
            }
        }
        return url;
    }

    /** The ways to write this URL that a pattern may mean: as given, with every port, without the default ones. */
    static List<String> spellings(String url) {
        String plain = withoutCredentials(withoutParameters(url));
        if (!plain.startsWith(POSTGRESQL)) {
            return List.of(plain);
        }
        String rest = plain.substring(POSTGRESQL.length());
        String hosts = "localhost";
        String database = rest;
        if (rest.startsWith("//")) {
            int slash = rest.indexOf('/', 2);
            String given = rest.substring(2, slash < 0 ? rest.length() : slash);
            hosts = given.isEmpty() ? "localhost" : given;
            database = slash < 0 ? "" : rest.substring(slash + 1);
        }
        List<String> with = new ArrayList<>();
        List<String> without = new ArrayList<>();
        for (String host : hosts.split(",", -1)) {
            String bare = host.endsWith(DEFAULT_PORT) ? host.substring(0, host.length() - DEFAULT_PORT.length()) : host;
            boolean hasPort = host.lastIndexOf(':') > host.lastIndexOf(']');
            with.add(hasPort ? host : host + DEFAULT_PORT);
            without.add(bare);
        }
        return List.of(
                plain,
                POSTGRESQL + "//" + String.join(",", with) + "/" + database,
                POSTGRESQL + "//" + String.join(",", without) + "/" + database);
    }

    private static String withoutCredentials(String url) {
        int slashes = url.indexOf("//");
        if (slashes < 0) {
            return url;
        }
        int slash = url.indexOf('/', slashes + 2);
        int at = url.lastIndexOf('@', slash < 0 ? url.length() : slash);
        return at < slashes ? url : url.substring(0, slashes + 2) + url.substring(at + 1);
    }
}
