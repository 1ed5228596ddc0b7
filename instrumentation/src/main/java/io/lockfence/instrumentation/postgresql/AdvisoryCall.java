/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.instrumentation.postgresql.AdvisoryText.Call;
import io.lockfence.instrumentation.postgresql.AdvisoryText.Does;
import io.lockfence.instrumentation.postgresql.AdvisoryText.Key;
import java.util.ArrayList;
import java.util.List;

/** One statement that may touch advisory locks, from its sending to its answer. */
final class AdvisoryCall {
    private final AdvisoryHolds holds;
    private final AdvisoryText text;
    /** For each call of the text its lock's name; null where that cannot be told. */
    private final List<String> names;

    private int notHeld;

    AdvisoryCall(AdvisoryHolds holds, AdvisoryText text, List<String> names) {
        this.holds = holds;
        this.text = text;
        this.names = names;
    }

    AdvisoryHolds holds() {
        return holds;
    }

    AdvisoryText text() {
        return text;
    }

    /** The names of a text's locks, as far as its numbers and parameters tell. */
    static List<String> names(AdvisoryText text, Pgjdbc driver, Object parameters) throws Throwable {
        List<String> names = new ArrayList<>();
        for (Call call : text.calls()) {
            names.add(name(call, driver, parameters));
        }
        return names;
    }

    private static String name(Call call, Pgjdbc driver, Object parameters) throws Throwable {
        if (call.keys() == null) {
            return null;
        }
        StringBuilder name = new StringBuilder();
        for (Key key : call.keys()) {
            Long value = key.value();
            if (key.parameter() > 0) {
                value = parameters == null ? null : number(driver.parameter(parameters, key.parameter()));
            }
            if (value == null) {
                return null;
            }
            name.append(name.isEmpty() ? "" : "/").append(value);
        }
        return name.toString();
    }

    /** The driver's text of a parameter, such as {@code ('42'::int8)}; null if it is no integer. */
    static Long number(String literal) {
        int start = 0;
        while (start < literal.length() && "(' ".indexOf(literal.charAt(start)) >= 0) {
            start++;
        }
        int end = start;
        while (end < literal.length() && (literal.charAt(end) == '-' || Character.isDigit(literal.charAt(end)))) {
            end++;
        }
        if (end < literal.length() && "'):: ".indexOf(literal.charAt(end)) < 0) {
            return null;
        }
        try {
            return Long.valueOf(literal.substring(start, end));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** The server warned that an unlock was of nothing. */
    void warned() {
        notHeld++;
    }

    int notHeld() {
        return notHeld;
    }

    /** Whether it may take a lock by this name. */
    boolean mayTake(String name) {
        return may(name, true, false, false);
    }

    /** Whether it takes a lock by this name if it succeeds in what it says, and says so by name. */
    boolean namesAsTaken(String name) {
        return may(name, true, false, true);
    }

    /** Whether it may give back one by this name. */
    boolean mayGiveBack(String name) {
        return text.discards() || may(name, false, false, false);
    }

    /** Whether it may take one by this name that readers share. */
    boolean mayShare(String name) {
        return may(name, true, true, false);
    }

    private boolean may(String name, boolean takes, boolean shared, boolean byName) {
        for (int i = 0; i < names.size(); i++) {
            Call call = text.calls().get(i);
            boolean taking = call.does() == Does.LOCK || call.does() == Does.TRY;
            if (taking == takes
                    && (!taking || call.shared() == shared)
                    && (names.get(i) == null ? !byName : names.get(i).equals(name))) {
                return true;
            }
        }
        return false;
    }

    /** Those that it takes for itself alone, as far as they are known. */
    List<String> taken() {
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Call call = text.calls().get(i);
            if ((call.does() == Does.LOCK || call.does() == Does.TRY) && !call.shared() && names.get(i) != null) {
                taken.add(names.get(i));
            }
        }
        return taken;
    }

    /** Whether the name of every lock that it takes is known. */
    boolean namesAll() {
        for (int i = 0; i < names.size(); i++) {
            Call call = text.calls().get(i);
            if (names.get(i) == null && (call.does() == Does.LOCK || call.does() == Does.TRY)) {
                return false;
            }
        }
        return true;
    }

    String name(int call) {
        return names.get(call);
    }

    /** The one that a plain text that waits has taken, if it succeeded; null if that cannot be told. */
    String mustHold() {
        return text.plain() && text.waits() ? names.get(0) : null;
    }

    /** Those that it gives back; null among them where one is not known. */
    List<String> givenBack() {
        List<String> given = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            if (text.calls().get(i).does() == Does.UNLOCK) {
                given.add(names.get(i));
            }
        }
        return given;
    }
}
