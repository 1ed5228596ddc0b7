/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.net.IDN;
import java.util.Locale;

/**
 * Where a request goes, in one of the many ways to write it.
 *
 * @param scheme {@code http} or {@code https}
 * @param host in small letters, without a dot at its end; an IPv6 address in brackets and in one spelling
 * @param port also where it was not written
 * @param path see {@link HttpPath#ofUrl}
 */
record HttpUrl(String scheme, String host, int port, String path) {
    private static final int LARGEST_PORT = 65535;

    /** Null if it is no URL of HTTP. Credentials, query and fragment are left out. Never throws. */
    static HttpUrl of(String url) {
        String scheme = url.regionMatches(true, 0, "http://", 0, 7)
                ? "http"
                : url.regionMatches(true, 0, "https://", 0, 8) ? "https" : null;
        if (scheme == null) {
            return null;
        }
        int from = scheme.length() + 3;
        int end = first(url, from, "?#");
        int slash = first(url, from, "/?#");
        String authority = url.substring(
                url.lastIndexOf('@', slash - 1) < from ? from : url.lastIndexOf('@', slash - 1) + 1, slash);
        int colon = colon(authority);
        String host = host(colon < 0 ? authority : authority.substring(0, colon));
        int port = colon < 0 || colon == authority.length() - 1 ? portOf(scheme) : port(authority.substring(colon + 1));
        return host == null || port < 0
                ? null
                : new HttpUrl(scheme, host, port, HttpPath.ofUrl(url.substring(slash, end)));
    }

    /** Where the first of these characters stands; the end if there is none. */
    static int first(String text, int from, String characters) {
        for (int i = from; i < text.length(); i++) {
            if (characters.indexOf(text.charAt(i)) >= 0) {
                return i;
            }
        }
        return text.length();
    }

    /** Where the colon before the port stands; negative if there is none. */
    static int colon(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? colon : -1;
    }

    /** The port of a scheme where none is written. */
    static int portOf(String scheme) {
        return scheme.equals("http") ? 80 : 443;
    }

    /** -1 if it is none. */
    static int port(String text) {
        if (text.isEmpty() || text.length() > 5 || !Surprise.isDigits(text)) {
            return -1;
        }
        int port = Integer.parseInt(text);
        return port <= LARGEST_PORT ? port : -1;
    }

    /** The one spelling of a host; null if it is none. */
    static String host(String text) {
        String host = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        if (host.isEmpty()) {
            return null;
        }
        if (host.startsWith("[")) {
            String address = host.endsWith("]") ? Network.oneSpelling(host.substring(1, host.length() - 1)) : null;
            return address == null ? null : "[" + address + "]";
        }
        try {
            return (isAscii(host) ? host : IDN.toASCII(host)).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 127) {
                return false;
            }
        }
        return true;
    }
}
