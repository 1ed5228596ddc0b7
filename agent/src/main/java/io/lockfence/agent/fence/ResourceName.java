/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Makes any name fit the columns of a fence table. */
public final class ResourceName {
    /** In UTF-16 units; four bytes each still fit the index of every database. */
    private static final int LONGEST = 255;

    private static final int HASH_BYTES = 16;

    private ResourceName() {}

    /**
     * The name as a fence table holds it: itself, if it has at most 255 characters that a database can store. Otherwise it is cut and ends in {@code #}
     * and the first 16 bytes, in hexadecimal digits, of the SHA-256 of its UTF-16 units (big-endian). Two names never become one, and what fits stays as it is.
     */
    public static String fit(String name) {
        int unstorable = unstorable(name);
        if (name.length() <= LONGEST && unstorable == name.length()) {
            return name;
        }
        int end = Math.min(unstorable, LONGEST - 1 - 2 * HASH_BYTES);
        if (end > 0 && end < name.length() && Character.isHighSurrogate(name.charAt(end - 1))) {
            end--;
        }
        return name.substring(0, end) + '#' + hash(name);
    }

    /** Where the first NUL or half of a surrogate pair stands; the length if there is none. */
    private static int unstorable(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < name.length() && Character.isLowSurrogate(name.charAt(i + 1))) {
                i++;
            } else if (c == 0 || Character.isSurrogate(c)) {
                return i;
            }
        }
        return name.length();
    }

    private static String hash(String name) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            // The units as they are: every encoder turns halves of surrogate pairs into one character, and would make
            // two names one.
            ByteBuffer units = ByteBuffer.allocate(2 * name.length());
            units.asCharBuffer().put(name);
            byte[] digest = sha256.digest(units.array());
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
