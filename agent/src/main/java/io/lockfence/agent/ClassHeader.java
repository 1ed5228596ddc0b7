/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a class file says of the types that it extends and implements, directly. Reads the constant pool and no more.
 *
 * @param supertypes internal names
 */
record ClassHeader(List<String> supertypes) {
    /** @throws IOException if these are not the bytes of a class */
    static ClassHeader of(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        if (in.readInt() != 0xCAFEBABE) {
            throw new IOException("no class file");
        }
        in.skipNBytes(4);
        int size = in.readUnsignedShort();
        int[] classes = new int[size];
        String[] texts = new String[size];
        for (int i = 1; i < size; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> texts[i] = in.readUTF();
                case 7 -> classes[i] = in.readUnsignedShort();
                case 8, 16, 19, 20 -> in.skipNBytes(2);
                case 15 -> in.skipNBytes(3);
                case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
                case 5, 6 -> {
                    in.skipNBytes(8);
                    i++;
                }
                default -> throw new IOException("a constant of the unknown kind " + tag);
            }
        }
        in.skipNBytes(4);
        List<String> supertypes = new ArrayList<>();
        add(supertypes, texts, classes, in.readUnsignedShort());
        int interfaces = in.readUnsignedShort();
        for (int i = 0; i < interfaces; i++) {
            add(supertypes, texts, classes, in.readUnsignedShort());
        }
        return new ClassHeader(supertypes);
    }

    private static void add(List<String> supertypes, String[] texts, int[] classes, int index) {
        if (index != 0) {
            supertypes.add(texts[classes[index]]);
        }
    }
}
