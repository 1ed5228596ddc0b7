/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.util.Locale;

/** Times, counts and foreign names as they stand in a line of text. */
final class Words {
    private Words() {}

    /** A duration for people: {@code 0.4 ms}, {@code 350 ms}, {@code 12.1 s}, {@code 3 min 4 s}, {@code 2 h 5 min}. */
    static String time(long nanos) {
        if (nanos < 0) {
            return "0 ms";
        }
        if (nanos < 10_000_000L) {
            return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
        }
        if (nanos < 1_000_000_000L) {
            return nanos / 1_000_000 + " ms";
        }
        if (nanos < 60_000_000_000L) {
            return String.format(Locale.ROOT, "%.1f s", Math.floor(nanos / 1e8) / 10);
        }
        long seconds = nanos / 1_000_000_000L;
        if (seconds < 3600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        return seconds / 3600 + " h " + seconds % 3600 / 60 + " min";
    }

    /** A count with its noun: {@code 1 lock}, {@code 2 locks}. */
    static String count(long number, String noun) {
        return number(number) + " " + noun + (number == 1 ? "" : "s");
    }

    /** A count with commas: {@code 1,204}. No formatter: the first one costs 50 ms, and counts are printed in premain. */
    static String number(long number) {
        String digits = Long.toString(number);
        if (digits.length() <= 3) {
            return digits;
        }
        StringBuilder text = new StringBuilder(digits);
        int first = number < 0 ? 1 : 0;
        for (int i = digits.length() - 3; i > first; i -= 3) {
            text.insert(i, ',');
        }
        return text.toString();
    }

    /** A foreign text on one line: control characters escaped, and cut, with dots, where it is longer than {@code longest}. */
    static String clean(String text, int longest) {
        StringBuilder line = null;
        int i = 0;
        while (i < text.length() && (line == null ? i : line.length()) < longest) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
                if (line == null) {
                    line = new StringBuilder(Math.min(text.length(), longest) + 16).append(text, 0, i);
                }
                line.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else if (line != null) {
                line.append(c);
            }
            i++;
        }
        if (i == text.length()) {
            return line == null ? text : line.toString();
        }
        String cut = line == null ? text.substring(0, i) : line.substring(0, Math.min(line.length(), longest));
        boolean halved = !cut.isEmpty() && Character.isHighSurrogate(cut.charAt(cut.length() - 1));
        return (halved ? cut.substring(0, cut.length() - 1) : cut) + "...";
    }
}
