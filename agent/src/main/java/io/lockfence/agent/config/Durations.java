/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.time.Duration;
import java.time.format.DateTimeParseException;

/** Durations as rules write them: {@code 500ms}, {@code 10s}, {@code 1m}, {@code 2h}, or ISO-8601 such as {@code PT10S}. */
public final class Durations {
    private Durations() {}

    /** Null if the text is no duration. Never negative. */
    public static Duration parse(String text) {
        try {
            if (text.startsWith("PT")) {
                Duration duration = Duration.parse(text);
                return duration.isNegative() ? null : duration;
            }
            int digits = 0;
            while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
                digits++;
            }
            if (digits == 0) {
                return null;
            }
            long number = Long.parseLong(text.substring(0, digits));
            return switch (text.substring(digits).strip()) {
                case "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                case "m" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                default -> null;
            };
        } catch (DateTimeParseException | ArithmeticException | NumberFormatException e) {
            return null;
        }
    }

    /** As rules write it. */
    public static String text(Duration duration) {
        long ms = duration.toMillis();
        if (ms % 1000 != 0) {
            return ms + "ms";
        }
        if (ms % 60_000 != 0 || ms <= 60_000) {
            return ms / 1000 + "s";
        }
        return ms % 3_600_000 != 0 || ms <= 3_600_000 ? ms / 60_000 + "m" : ms / 3_600_000 + "h";
    }
}
