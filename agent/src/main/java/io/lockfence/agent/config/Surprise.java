/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.Locale;
import java.util.Set;

/** Plain text that YAML 1.1 or 1.2 reads as something else than text, as far as people write it by accident. */
final class Surprise {
    private static final Set<String> TRUTHS = Set.of("true", "false", "yes", "no", "on", "off");

    private Surprise() {}

    static boolean is(String plain) {
        return TRUTHS.contains(plain.toLowerCase(Locale.ROOT)) || isNumber(plain);
    }

    /** What it may be read as. */
    static String meaning(String plain) {
        return isNumber(plain) ? "a number" : "true or false";
    }

    static boolean isDigits(String text) {
        return !text.isEmpty() && consistsOf(text, "0123456789");
    }

    /** Numbers, and what dates and times are made of. */
    private static boolean isNumber(String plain) {
        String lower = plain.toLowerCase(Locale.ROOT);
        String digits = lower.startsWith("-") || lower.startsWith("+") ? lower.substring(1) : lower;
        if (digits.equals(".inf") || digits.equals(".nan")) {
            return true;
        }
        if (lower.startsWith("0x") || lower.startsWith("0o") || lower.startsWith("0b")) {
            return lower.length() > 2 && consistsOf(lower.substring(2), "0123456789abcdef_");
        }
        int first = digits.startsWith(".") ? 1 : 0;
        return digits.length() > first
                && isDigits(digits.substring(first, first + 1))
                && consistsOf(digits, "0123456789._:-+e");
    }

    private static boolean consistsOf(String text, String alphabet) {
        for (int i = 0; i < text.length(); i++) {
            if (alphabet.indexOf(text.charAt(i)) < 0) {
                return false;
            }
        }
        return true;
    }
}
