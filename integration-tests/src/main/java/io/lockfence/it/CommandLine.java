/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code java -jar lockfence.jar}, used as an operator uses it.
 *
 * @param exit its exit code
 * @param output all that it printed
 */
public record CommandLine(int exit, String output) {
    /** Runs a command to its end. */
    public static CommandLine run(String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(Jdk.running().java(), "-jar", Build.agentJar().toString()));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new CommandLine(process.waitFor(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** What it printed; it must have ended with 0. */
    public String mustBeFine() {
        if (exit != 0) {
            throw new AssertionError("lockfence.jar ended with " + exit + ":\n" + output);
        }
        return output;
    }
}
