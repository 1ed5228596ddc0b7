/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

/** A fencing header that is not what it should be. The message is for the caller: where, and what was expected. */
public final class MalformedHeaderException extends Exception {
    private static final long serialVersionUID = 1;

    /** How much of the header a message repeats. */
    private static final int SHOWN = 40;

    MalformedHeaderException(String message) {
        super(message, null, false, false);
    }

    /** Text of the header as it may stand in a message: short, in printable ASCII. */
    static String shown(String text) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            String escaped = c >= ' ' && c <= '~' ? String.valueOf(c) : String.format("\\u%04x", (int) c);
            if (shown.length() + escaped.length() > SHOWN) {
                return shown + "...";
            }
            shown.append(escaped);
        }
        return shown.toString();
    }
}
