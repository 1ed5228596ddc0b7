/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.Collection;

/** The valid name that a misspelt one may have meant. */
final class Nearest {
    private Nearest() {}

    /** The nearest by edit distance, of which a third of the letters is allowed and two at least; empty if none is near. */
    static String to(String given, Collection<String> valid) {
        String nearest = "";
        int best = Integer.MAX_VALUE;
        for (String name : valid) {
            int allowed = Math.max(2, name.length() / 3);
            if (Math.abs(name.length() - given.length()) > allowed) {
                continue;
            }
            int distance = distance(given, name);
            if (distance <= allowed && distance < best && distance < name.length()) {
                best = distance;
                nearest = name;
            }
        }
        return nearest;
    }

    /** Insertions, deletions, replacements, and swaps of neighbours; upper case is no difference. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replaced = d[i - 1][j - 1] + (same(a.charAt(i - 1), b.charAt(j - 1)) ? 0 : 1);
                d[i][j] = Math.min(replaced, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                if (i > 1
                        && j > 1
                        && same(a.charAt(i - 1), b.charAt(j - 2))
                        && same(a.charAt(i - 2), b.charAt(j - 1))) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }

    private static boolean same(char a, char b) {
        return Character.toLowerCase(a) == Character.toLowerCase(b);
    }
}
