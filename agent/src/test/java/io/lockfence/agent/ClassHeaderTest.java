/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClassHeaderTest {
    @ParameterizedTest
    @ValueSource(
            classes = {
                Object.class,
                String.class,
                Runnable.class,
                ArrayList.class,
                ConcurrentHashMap.class,
                Math.class,
                ClassHeaderTest.class,
                ClassHeader.class,
                Comparable.class
            })
    void readsWhatAClassExtendsAndImplements(Class<?> type) throws IOException {
        List<String> expected = new ArrayList<>();
        if (type != Object.class) {
            expected.add(type.isInterface() ? "java/lang/Object" : name(type.getSuperclass()));
        }
        Arrays.stream(type.getInterfaces()).map(ClassHeaderTest::name).forEach(expected::add);
        try (InputStream in = ClassLoader.getSystemResourceAsStream(name(type) + ".class")) {
            assertThat(ClassHeader.of(in.readAllBytes()).supertypes()).containsExactlyElementsOf(expected);
        }
    }

    private static String name(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    @Test
    void refusesWhatIsNoClass() {
        assertThatThrownBy(() -> ClassHeader.of(new byte[] {1, 2, 3})).hasMessage("no class file");
    }
}
