/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How enum constants are written in a rules file: {@code FIRST_ACCESS} is {@code first-access}. */
final class Words {
    private Words() {}

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static List<String> all(Class<? extends Enum<?>> type) {
        List<String> words = new ArrayList<>();
        for (Enum<?> constant : type.getEnumConstants()) {
            words.add(of(constant));
        }
        return words;
    }
}
