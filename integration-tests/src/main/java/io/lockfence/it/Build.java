/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where the build puts what the tests and the demo start. */
public final class Build {
    private Build() {}

    /** The root of the project: the first folder above the working directory, or above our own classes, that holds its modules. */
    public static Path root() {
        Path here = Path.of("").toAbsolutePath();
        for (Path start : List.of(here, ownClasses())) {
            for (Path folder = start; folder != null; folder = folder.getParent()) {
                if (Files.isRegularFile(folder.resolve("integration-tests/pom.xml"))) {
                    return folder;
                }
            }
        }
        throw new IllegalStateException("not inside the Lockfence project: " + here);
    }

    private static Path ownClasses() {
        return Path.of(
                Build.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    }

    /** The agent, as users get it. */
    public static Path agentJar() {
        return built("agent/target/lockfence.jar");
    }

    /** {@code com.example.stock.StockService}; its newest libraries are named in its manifest. */
    public static Path stockJar() {
        return built("integration-tests/services/stock/target/stock.jar");
    }

    /** The Spring Boot fat jar. */
    public static Path springJar() {
        return built("integration-tests/services/spring/target/spring.jar");
    }

    /** {@code com.example.homemade.HomemadeService}: the same steps under locks of the service's own. */
    public static Path homemadeJar() {
        return built("integration-tests/services/homemade/target/homemade.jar");
    }

    /** {@code com.example.http.caller.CallerService} and {@code com.example.http.receiver.ReceiverService}. */
    public static Path httpJar() {
        return built("integration-tests/services/http/target/http.jar");
    }

    /** The stock service with the oldest supported libraries: a class path. */
    public static String oldestClassPath() {
        Path lib = built("integration-tests/classpaths/oldest/target/lib");
        // The manifest of stock.jar names its own libraries: the classes are taken from their folder instead.
        Path classes = built("integration-tests/services/stock/target/classes");
        return classes + File.pathSeparator + lib + File.separator + "*";
    }

    /** The jar that holds the binaries of the oldest supported PostgreSQL. */
    public static Path oldestPostgres() {
        Path folder = built("integration-tests/target/postgres");
        try (Stream<Path> jars = Files.list(folder)) {
            return jars.filter(jar -> jar.toString().endsWith(".jar"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no PostgreSQL binaries in " + folder));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path built(String path) {
        Path file = root().resolve(path);
        if (!Files.exists(file)) {
            throw new IllegalStateException(file + " is missing; build it with: mvn -DskipTests package");
        }
        return file;
    }
}
