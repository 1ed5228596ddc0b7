/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/**
 * How long a method rule's lock is granted for: {@code 30s}, {@code arg1} (a {@code Duration}), {@code arg1 ms} (a number with its unit), or
 * {@code arg1 arg2} (a number and its {@code TimeUnit}). Immutable.
 *
 * @param constant the same for every call; null if it is read from the call
 * @param value where it is read from; null for a constant
 * @param unit of the number that is read; null for a {@code Duration}, or where the unit is read as well
 * @param unitValue where the unit is read from; null if it is not
 */
public record LeaseTime(Duration constant, ValuePath value, ChronoUnit unit, ValuePath unitValue) {
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ns", ChronoUnit.NANOS,
            "us", ChronoUnit.MICROS,
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS);
    /** For messages, in order. */
    static final List<String> UNIT_NAMES = List.of("ns", "us", "ms", "s", "m", "h");

    /**
     * Reads a text.
     *
     * @throws IllegalArgumentException saying what is wrong with it; a {@link WrongText} if the nearest valid text is known
     */
    static LeaseTime parse(String text) {
        Duration constant = Durations.parse(text);
        if (constant != null) {
            if (constant.isZero()) {
                throw new IllegalArgumentException("nothing is held for no time");
            }
            return new LeaseTime(constant, null, null, null);
        }
        if (Surprise.isDigits(text)) {
            throw new WrongText("it is a number without a unit", text + "s");
        }
        String[] words = text.strip().split("\\s+");
        ValuePath value = ValuePath.parse(words[0]);
        if (words.length == 1) {
            return new LeaseTime(null, value, null, null);
        }
        if (words.length > 2) {
            throw new IllegalArgumentException("it has more than a value and its unit");
        }
        ChronoUnit unit = UNITS.get(words[1]);
        if (unit != null) {
            return new LeaseTime(null, value, unit, null);
        }
        if (words[1].matches("(arg[0-9]|this\\b|result\\b).*")) {
            return new LeaseTime(null, value, null, ValuePath.parse(words[1]));
        }
        String meant = meantUnit(words[1]);
        throw new WrongText(
                "'" + Problem.shown(words[1]) + "' is no unit, which is one of " + String.join(", ", UNIT_NAMES),
                meant.isEmpty() ? "" : words[0] + " " + meant);
    }

    private static String meantUnit(String word) {
        String lower = word.toLowerCase(java.util.Locale.ROOT);
        return lower.startsWith("milli") || lower.equals("msec")
                ? "ms"
                : lower.startsWith("sec")
                        ? "s"
                        : lower.startsWith("min")
                                ? "m"
                                : lower.startsWith("hour")
                                        ? "h"
                                        : lower.startsWith("nano") ? "ns" : lower.startsWith("micro") ? "us" : "";
    }

    /** As rules write it. */
    @Override
    public String toString() {
        if (constant != null) {
            return Durations.text(constant);
        }
        if (unitValue != null) {
            return value + " " + unitValue;
        }
        if (unit == null) {
            return value.toString();
        }
        return value + " "
                + UNITS.entrySet().stream()
                        .filter(entry -> entry.getValue() == unit)
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElseThrow();
    }
}
