/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Servers that no jar carries, from Debian's packages: fetched once by {@code integration-tests/servers/debian}, unpacked into a cache folder of the user, and never
 * installed. Thread safe, and safe beside other JVMs that want the same package: the script has a lock of its own.
 */
public final class DebianPackage {
    private static final Path SCRIPT = Path.of("integration-tests", "servers", "debian");

    private DebianPackage() {}

    /**
     * A package, fetched where it is not there yet.
     *
     * @param suite Debian's name for a release, such as {@code bookworm}
     * @param name name of the package, such as {@code etcd-server}
     * @return the folder that the package is unpacked in, with its {@code usr/bin}
     * @throws IllegalStateException if it cannot be fetched; what the script says goes to the error stream of this JVM
     */
    public static Path unpacked(String suite, String name) {
        Path folder = cache().resolve(name + "-" + suite);
        if (Files.isDirectory(folder)) {
            return folder;
        }
        try {
            Process script = new ProcessBuilder(script().toString(), suite, name, folder.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            if (script.waitFor() != 0) {
                throw new IllegalStateException("package " + name + " of Debian " + suite + " is not to be had, see above");
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static Path cache() {
        String home = System.getenv("XDG_CACHE_HOME");
        return (home == null || home.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(home)).resolve("lockfence");
    }

    private static Path script() {
        Path start = Path.of("").toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            Path script = folder.resolve(SCRIPT);
            if (Files.isExecutable(script)) {
                return script;
            }
        }
        throw new IllegalStateException("no " + SCRIPT + " above " + start);
    }
}
