/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a class file says of the types that it extends and implements, directly. Walks over the constant pool, and decodes no text of it but those names.
 *
 * @param supertypes internal names
 */
record ClassHeader(List<String> supertypes) {
    private static final int MAGIC = 0xCAFEBABE;

    /** @throws RuntimeException if these are not the bytes of a class */
    static ClassHeader of(byte[] bytes) {
        if (bytes.length < 10 || (u2(bytes, 0) << 16 | u2(bytes, 2)) != MAGIC) {
            throw new IllegalArgumentException("no class file");
        }
        int size = u2(bytes, 8);
        int[] constants = new int[size];
        int at = 10;
        for (int i = 1; i < size; i++) {
            constants[i] = at + 1;
            int tag = bytes[at];
            switch (tag) {
                case 1 -> at += 3 + u2(bytes, at + 1);
                case 7, 8, 16, 19, 20 -> at += 3;
                case 15 -> at += 4;
                case 3, 4, 9, 10, 11, 12, 17, 18 -> at += 5;
                case 5, 6 -> {
                    at += 9;
                    i++;
                }
                default -> throw new IllegalArgumentException("a constant of the unknown kind " + tag);
            }
        }
        List<String> supertypes = new ArrayList<>();
        int interfaces = u2(bytes, at + 6);
        for (int i = -1; i < interfaces; i++) {
            // The superclass stands in front of the number of interfaces; only Object has none.
            int index = u2(bytes, i < 0 ? at + 4 : at + 8 + 2 * i);
            if (index != 0) {
                int text = constants[u2(bytes, constants[index])];
                supertypes.add(new String(bytes, text + 2, u2(bytes, text), StandardCharsets.UTF_8));
            }
        }
        return new ClassHeader(supertypes);
    }

    private static int u2(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
    }
}
