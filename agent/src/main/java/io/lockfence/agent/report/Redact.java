/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.util.regex.Pattern;

/** Takes credentials out of what is to be shown. Where a URL can be read in two ways, more is hidden than needed. */
public final class Redact {
    private static final String HIDDEN = "***";
    private static final Pattern SECRET =
            Pattern.compile("(?i)\\b(user|username|password|passwd|pwd|secret|token)\\s*=\\s*[^,;&)\\s]*");
    private static final Pattern HOSTS = Pattern.compile(
            "(\\[[0-9a-fA-F:.]*]|[^:/\\[\\]]*)(:[0-9]{0,5})?(,(\\[[0-9a-fA-F:.]*]|[^:/\\[\\]]*)(:[0-9]{0,5})?)*");

    private Redact() {}

    /**
     * A JDBC, Redis or HTTP URL without user, password and parameters.
     *
     * @param url may be null
     * @return null for null
     */
    public static String url(String url) {
        if (url == null) {
            return null;
        }
        String shown = url;
        for (char parameters : new char[] {'?', ';', '#'}) {
            int index = shown.indexOf(parameters);
            shown = index < 0 ? shown : shown.substring(0, index);
        }
        int slashes = shown.indexOf("//");
        int at = shown.lastIndexOf('@');
        if (at >= 0) {
            int keep = slashes >= 0 && slashes < at ? slashes + 2 : scheme(shown, at);
            shown = shown.substring(0, keep) + shown.substring(at + 1);
        }
        slashes = shown.indexOf("//");
        if (slashes >= 0) {
            int end = shown.indexOf('/', slashes + 2);
            end = end < 0 ? shown.length() : end;
            // What is no list of hosts is a password with one of the characters above in it.
            if (!HOSTS.matcher(shown.substring(slashes + 2, end)).matches()) {
                return shown.substring(0, slashes + 2) + HIDDEN;
            }
        }
        return SECRET.matcher(shown).replaceAll("$1=" + HIDDEN);
    }

    /** Where {@code jdbc:oracle:thin:} or {@code redis:} ends. */
    private static int scheme(String url, int before) {
        int colons = url.startsWith("jdbc:") ? 3 : 1;
        int index = -1;
        for (int i = 0; i < colons; i++) {
            int next = url.indexOf(':', index + 1);
            if (next < 0 || next > before) {
                break;
            }
            index = next;
        }
        return index + 1;
    }
}
