/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The agent's command line, used as an operator uses it. */
public final class Fence {
    private static volatile String ddl;

    private Fence() {}

    /** What {@code java -jar lockfence.jar ddl --database postgresql} prints. */
    public static String ddl() {
        if (ddl == null) {
            try {
                Process process = new ProcessBuilder(
                                Jdk.running().java(),
                                "-jar",
                                Build.agentJar().toString(),
                                "ddl",
                                "--database",
                                "postgresql")
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                process.getOutputStream().close();
                String sql = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                int exit = process.waitFor();
                if (exit != 0) {
                    throw new IllegalStateException("lockfence.jar ddl ended with " + exit + ": " + sql);
                }
                ddl = sql;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
        return ddl;
    }
}
