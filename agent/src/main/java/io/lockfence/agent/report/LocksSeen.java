/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Which locks the service took and how long it held them, by family: {@code order:41} and {@code order:42} are both {@code order:*}.
 * Thread safe; holds a bounded number of families.
 */
final class LocksSeen {
    private static final int MOST_FAMILIES = 200;
    private static final String OTHERS = "(other locks)";
    private static final int LONGEST_NAME = 60;

    private final ConcurrentMap<String, Family> families = new ConcurrentHashMap<>();

    /** The family of a lock: its name with each number, and each hexadecimal run of eight and more, as {@code *}. */
    static String familyName(String lock) {
        StringBuilder name = new StringBuilder(Math.min(lock.length(), LONGEST_NAME));
        int i = 0;
        while (i < lock.length() && name.length() < LONGEST_NAME) {
            int end = i;
            boolean digit = false;
            boolean hex = true;
            while (end < lock.length() && Character.isLetterOrDigit(lock.charAt(end))) {
                char c = lock.charAt(end);
                digit |= Character.isDigit(c);
                hex &= Character.digit(c, 16) >= 0;
                end++;
            }
            if (digit && hex && end - i >= 8) {
                star(name);
                i = end;
                continue;
            }
            if (end == i) {
                char c = lock.charAt(i++);
                if (c == '-' && name.length() > 0 && name.charAt(name.length() - 1) == '*') {
                    int next = i;
                    while (next < lock.length() && Character.digit(lock.charAt(next), 16) >= 0) {
                        next++;
                    }
                    if (next - i >= 4) {
                        i = next;
                        continue;
                    }
                }
                name.append(c);
                continue;
            }
            while (i < end) {
                char c = lock.charAt(i++);
                if (Character.isDigit(c)) {
                    star(name);
                } else {
                    name.append(c);
                }
            }
        }
        return Words.clean(name.toString(), LONGEST_NAME);
    }

    private static void star(StringBuilder name) {
        if (name.length() == 0 || name.charAt(name.length() - 1) != '*') {
            name.append('*');
        }
    }

    Family of(String lock) {
        String name = familyName(lock);
        Family family = families.get(name);
        if (family == null) {
            String key = families.size() < MOST_FAMILIES ? name : OTHERS;
            family = families.computeIfAbsent(key, Family::new);
        }
        return family;
    }

    int size() {
        return families.size();
    }

    /** Those that were taken most often first. */
    List<Family> busiest(int most) {
        List<Family> sorted = new ArrayList<>(families.values());
        sorted.sort(Comparator.comparingLong((Family family) -> family.taken.sum())
                .reversed()
                .thenComparing(family -> family.name));
        return sorted.subList(0, Math.min(most, sorted.size()));
    }

    /** The books on one family. */
    static final class Family {
        final String name;
        final LongAdder taken = new LongAdder();
        final LongAdder ended = new LongAdder();
        final LongAdder heldNanos = new LongAdder();
        final Longest longest = new Longest();
        final LongAdder overran = new LongAdder();

        Family(String name) {
            this.name = name;
        }
    }
}
