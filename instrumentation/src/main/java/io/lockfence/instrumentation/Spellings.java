/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The paths under which handlers may know one request. A server resolves {@code /stock/../x} to {@code /x} or does not; frameworks on top of it read the raw
 * path again, and do the other thing (Spring's {@code PathPattern} and Jersey keep dot segments, whatever the container made of them). A rule must hold whichever it is.
 */
public final class Spellings {
    private Spellings() {}

    /**
     * @param path the server's own, decoded
     * @param raw as it came, without the query; null if it is not known
     * @param earlier other raw paths that the request had
     */
    static List<String> of(String path, String raw, List<String> earlier) {
        if (earlier.isEmpty()) {
            return of(path, raw);
        }
        Set<String> all = new LinkedHashSet<>(of(path, raw));
        for (String before : earlier) {
            all.addAll(of(decoded(withoutParameters(afterAuthority(before))), before));
        }
        return new ArrayList<>(all);
    }

    /**
     * @param path the server's own, decoded
     * @param raw as it came, without the query; null if it is not known
     * @return the server's first, then what else a framework could make of it; of an ordinary request one
     */
    static List<String> of(String path, String raw) {
        if (path.equals(raw) && isPlain(path)) {
            return List.of(path);
        }
        Set<String> all = new LinkedHashSet<>();
        all.add(path.startsWith("/") ? path : "/" + path);
        all.add(collapsed(path));
        all.add(resolved(path));
        if (raw != null) {
            String decoded = decoded(withoutParameters(afterAuthority(raw)));
            all.add(collapsed(decoded));
            all.add(resolved(decoded));
            // For whoever takes the path apart before decoding it: such a slash is none.
            all.add(collapsed(decoded(withoutParameters(afterAuthority(raw))
                    .replaceAll("%2[fF]", "%252F")
                    .replaceAll("%5[cC]", "%255C"))));
        }
        return new ArrayList<>(all);
    }

    /** Neither an empty nor a dot segment, no parameters, nothing encoded: however it is read, it is the same. */
    private static boolean isPlain(String path) {
        return path.startsWith("/")
                && path.indexOf('%') < 0
                && path.indexOf(';') < 0
                && path.indexOf('\\') < 0
                && !path.contains("//")
                && !path.contains("/.");
    }

    /** The path of a request line, which may name scheme and host before it. */
    public static String afterAuthority(String raw) {
        int scheme = raw.startsWith("/") ? -1 : raw.indexOf("://");
        if (scheme < 0) {
            return raw;
        }
        int path = raw.indexOf('/', scheme + 3);
        return path < 0 ? "/" : raw.substring(path);
    }

    private static String withoutParameters(String path) {
        if (path.indexOf(';') < 0) {
            return path;
        }
        StringBuilder kept = new StringBuilder(path.length());
        boolean parameter = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            parameter = c == ';' || parameter && c != '/';
            if (!parameter) {
                kept.append(c);
            }
        }
        return kept.toString();
    }

    /** The characters that escapes stand for, as UTF-8. What is no escape stays as it is. */
    public static String decoded(String path) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(path.length());
        byte[] raw = path.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < raw.length; i++) {
            int high = i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
            int low = high < 0 ? -1 : Character.digit(raw[i + 2], 16);
            if (raw[i] == '%' && low >= 0) {
                bytes.write(high << 4 | low);
                i += 2;
            } else {
                bytes.write(raw[i]);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static String collapsed(String path) {
        String rooted = path.startsWith("/") ? path : "/" + path;
        if (!rooted.contains("//")) {
            return rooted;
        }
        StringBuilder single = new StringBuilder(rooted.length());
        for (int i = 0; i < rooted.length(); i++) {
            char c = rooted.charAt(i);
            if (c != '/' || i == 0 || rooted.charAt(i - 1) != '/') {
                single.append(c);
            }
        }
        return single.toString();
    }

    /** Without empty and dot segments; what leads above the root stays at it. */
    private static String resolved(String path) {
        String collapsed = collapsed(path.replace('\\', '/'));
        if (!collapsed.contains("/.")) {
            return collapsed;
        }
        Deque<String> segments = new ArrayDeque<>();
        boolean folder = false;
        for (String segment : collapsed.substring(1).split("/", -1)) {
            folder = segment.isEmpty() || segment.equals(".") || segment.equals("..");
            if (segment.equals("..")) {
                segments.pollLast();
            } else if (!folder) {
                segments.addLast(segment);
            }
        }
        return "/" + String.join("/", segments) + (folder && !segments.isEmpty() ? "/" : "");
    }
}
