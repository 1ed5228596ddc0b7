/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A certificate of the loopback address, in a key store that serves as trust store as well. */
final class Certificate {
    static final String PASSWORD = "changeit";

    private Certificate() {}

    /** Made by the JDK's {@code keytool}. */
    static Path in(Path folder) throws IOException, InterruptedException {
        Path store = folder.resolve("loopback.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD,
                        "-dname",
                        "CN=127.0.0.1",
                        "-ext",
                        "san=ip:127.0.0.1,dns:localhost",
                        "-validity",
                        "2")
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool: " + output);
        }
        return store;
    }
}
