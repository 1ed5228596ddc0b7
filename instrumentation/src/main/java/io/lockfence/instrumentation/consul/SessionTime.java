/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A session's time to live as Consul writes it: a duration of Go's, such as {@code 15s}, {@code 1m30s} or {@code 90000ms}. */
final class SessionTime {
    /** The session lives until somebody or some check ends it. */
    static final long UNBOUNDED = 0;
    /** It is not known. */
    static final long UNKNOWN = -1;

    private static final Pattern PART = Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)");
    private static final Map<String, Long> NANOS = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "\u00b5s", 1_000L,
            "\u03bcs", 1_000L,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L);

    private SessionTime() {}

    /** @return nanoseconds, {@link #UNBOUNDED} where nothing is said, or {@link #UNKNOWN} where it cannot be read */
    static long nanos(String ttl) {
        if (ttl == null || ttl.isEmpty() || ttl.equals("0")) {
            return UNBOUNDED;
        }
        String text = ttl.startsWith("+") ? ttl.substring(1) : ttl;
        Matcher part = PART.matcher(text);
        BigDecimal sum = BigDecimal.ZERO;
        int at = 0;
        while (at < text.length()) {
            if (!part.find(at) || part.start() != at) {
                return UNKNOWN;
            }
            sum = sum.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(NANOS.get(part.group(2)))));
            at = part.end();
        }
        return sum.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0 ? UNKNOWN : sum.longValue();
    }
}
