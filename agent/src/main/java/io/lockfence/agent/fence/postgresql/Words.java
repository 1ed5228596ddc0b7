/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

/** A fixed set of lower-case ASCII words that is asked about parts of a text, in any case, without allocation. Thread safe. */
final class Words {
    private final String[] table;

    /** @param words lower case, apart by blanks */
    Words(String... words) {
        String[] all = String.join(" ", words).strip().split("\\s+");
        table = new String[Integer.highestOneBit(all.length) * 4];
        for (String word : all) {
            int slot = slot(word, 0, word.length());
            while (table[slot] != null) {
                slot = (slot + 1) & (table.length - 1);
            }
            table[slot] = word;
        }
    }

    /** Whether the part of the text is one of the words, in any case. */
    boolean contains(String text, int start, int end) {
        int slot = slot(text, start, end);
        for (String word = table[slot]; word != null; word = table[slot]) {
            if (is(text, start, end, word)) {
                return true;
            }
            slot = (slot + 1) & (table.length - 1);
        }
        return false;
    }

    private int slot(String text, int start, int end) {
        int hash = 0;
        for (int i = start; i < end; i++) {
            hash = 31 * hash + lower(text.charAt(i));
        }
        return (hash ^ (hash >>> 15)) & (table.length - 1);
    }

    /** Whether the part of the text is the word, in any case. */
    static boolean is(String text, int start, int end, String word) {
        if (end - start != word.length()) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            if (lower(text.charAt(start + i)) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** ASCII only, as the database folds keywords. */
    private static char lower(char c) {
        return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
    }
}
