/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import org.junit.jupiter.api.Test;

class FencedExceptionTest {
    @Test
    void isReadableInAJvmWithoutTheAgent() throws Exception {
        FencedException fenced = new FencedException(
                Refusal.STALE, "orders/42", "a newer lease has claimed", new IOException("told so"));
        Exception carrier = new IllegalStateException("commit failed", fenced);

        Exception read = (Exception) readWithoutLockfence(write(carrier));

        assertThat(read.getCause())
                .isExactlyInstanceOf(RuntimeException.class)
                .hasMessageContaining("a newer lease has claimed")
                .hasMessageContaining("FencedException")
                .hasCauseExactlyInstanceOf(IOException.class);
        assertThat(read.getCause().getStackTrace()).isEqualTo(fenced.getStackTrace());
    }

    @Test
    void tellsWhyAndWhat() {
        FencedException fenced = new FencedException(Refusal.EXPIRED, "orders/42", "past its deadline", null);

        assertThat(fenced.refusal()).isEqualTo(Refusal.EXPIRED);
        assertThat(fenced.resource()).isEqualTo("orders/42");
        assertThat(fenced).hasMessage("past its deadline").hasNoCause();
    }

    private static byte[] write(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    private static Object readWithoutLockfence(byte[] bytes) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
                if (description.getName().startsWith("io.lockfence")) {
                    throw new ClassNotFoundException(description.getName());
                }
                return super.resolveClass(description);
            }
        }) {
            return in.readObject();
        }
    }
}
