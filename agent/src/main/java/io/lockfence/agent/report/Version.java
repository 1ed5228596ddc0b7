/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Which Lockfence this is. */
public final class Version {
    private Version() {}

    /** The version that was built, such as {@code 0.1.0}. */
    public static String current() {
        return Built.VERSION;
    }

    private static final class Built {
        static final String VERSION = read();

        private static String read() {
            try (InputStream resource = Version.class.getResourceAsStream("version.txt")) {
                if (resource == null) {
                    return "unknown";
                }
                return new String(resource.readAllBytes(), StandardCharsets.UTF_8).strip();
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }
    }
}
