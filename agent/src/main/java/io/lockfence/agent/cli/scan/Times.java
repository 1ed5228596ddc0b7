/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.EffectTable.Time;
import io.lockfence.agent.cli.scan.LockTable.Lease;
import io.lockfence.agent.cli.scan.Value.Call;
import io.lockfence.agent.cli.scan.Value.Constant;
import io.lockfence.agent.cli.scan.Value.Field;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Times that stand in the code as constants, in milliseconds. */
final class Times {
    private static final Map<String, Long> FACTORIES = Map.of(
            "ofMillis", 1L, "ofSeconds", 1_000L, "ofMinutes", 60_000L, "ofHours", 3_600_000L, "ofDays", 86_400_000L);
    private static final Map<String, Long> OPTIONS = Map.of("px", 1L, "ex", 1_000L);

    private Times() {}

    /** @return null where it is no constant */
    static Long of(List<Value> arguments, int at, Time time) {
        if (at < 0 || at >= arguments.size()) {
            return null;
        }
        return switch (time) {
            case MILLIS -> number(arguments.get(at));
            case SECONDS -> scaled(arguments.get(at), 1_000);
            case DURATION -> duration(arguments.get(at));
            case UNIT ->
                at + 1 < arguments.size() ? unit(arguments.get(at), arguments.subList(at + 1, arguments.size())) : null;
        };
    }

    /** @return null where it is no constant, or the method has none */
    static Long of(List<Value> arguments, int at, Lease lease) {
        if (at < 0 || at >= arguments.size()) {
            return null;
        }
        return switch (lease) {
            case NONE -> null;
            case UNIT -> of(arguments, at, Time.UNIT);
            case MILLIS -> of(arguments, at, Time.MILLIS);
            case SECONDS -> of(arguments, at, Time.SECONDS);
            case DURATION -> duration(arguments.get(at));
            case OPTION -> option(arguments.get(at));
        };
    }

    /** The unit stands behind the number, maybe after other arguments. */
    private static Long unit(Value number, List<Value> rest) {
        for (Value value : rest) {
            if (value instanceof Field field && field.owner().equals("java/util/concurrent/TimeUnit")) {
                try {
                    return scaled(number, TimeUnit.valueOf(field.name()).toMillis(1));
                } catch (IllegalArgumentException e) {
                    return null;
                }
            }
        }
        return null;
    }

    private static Long duration(Value value) {
        if (value instanceof Call call
                && call.owner().equals("java/time/Duration")
                && FACTORIES.containsKey(call.name())) {
            return scaled(call.operands().get(0), FACTORIES.get(call.name()));
        }
        return null;
    }

    private static Long option(Value value) {
        for (Value next = value;
                next instanceof Call call;
                next = call.operands().isEmpty() ? null : call.operands().get(0)) {
            Long scale = OPTIONS.get(call.name());
            if (scale != null) {
                return scaled(call.operands().get(call.operands().size() - 1), scale);
            }
        }
        return null;
    }

    private static Long scaled(Value value, long scale) {
        Long number = number(value);
        return number == null ? null : scale == 0 ? Long.valueOf(0) : Long.valueOf(number * scale);
    }

    /** For people: {@code 500ms}, {@code 10s}, {@code 5m}. */
    static String text(long millis) {
        if (millis % 1_000 != 0 || millis == 0) {
            return millis + "ms";
        }
        return millis % 60_000 == 0 ? millis / 60_000 + "m" : millis / 1_000 + "s";
    }

    static Long number(Value value) {
        if (value instanceof Constant constant && constant.value() instanceof Number number) {
            return number.longValue();
        }
        // Boxed: Long.valueOf(30).
        return value instanceof Call call
                        && call.name().equals("valueOf")
                        && call.operands().size() == 1
                ? number(call.operands().get(0))
                : null;
    }
}
