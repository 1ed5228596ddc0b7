/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.it.Build;
import io.lockfence.it.Jdk;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

/** {@link Carried} under the agent: a test for each JDK, for the oldest and the newest libraries, and each row. */
class CarriedIT {
    /** Of what takes the place of the libraries; Micrometer's observation has an accessor that the oldest context-propagation cannot call. */
    private static final List<String> REPLACED = List.of(
            "kotlinx-coroutines-core-jvm-",
            "kotlin-stdlib-",
            "reactor-core-",
            "context-propagation-",
            "micrometer-observation-");

    @TestFactory
    Stream<DynamicContainer> aLeaseFollowsTheWorkThroughLibraries() {
        return Jdk.both().stream()
                .flatMap(jdk -> Stream.of("oldest", "newest")
                        .map(versions -> Rows.of(
                                jdk + ", " + versions,
                                jdk,
                                classPath(versions),
                                Carried.class,
                                Set.of(
                                        "@Async, SimpleAsyncTaskExecutor, lost",
                                        "coroutine on Default, released",
                                        "coroutines, flow, withContext that changes nothing",
                                        "scopes that are left open end with their task",
                                        "Mono after a delay, renewed",
                                        "nothing is left"))));
    }

    private static String classPath(String versions) {
        try (Stream<Path> jars = Files.list(Build.root().resolve("integration-tests/target/carried/" + versions))) {
            Stream<String> others = Arrays.stream(Rows.classPath().split(File.pathSeparator))
                    .filter(entry -> REPLACED.stream()
                            .noneMatch(name ->
                                    Path.of(entry).getFileName().toString().startsWith(name)));
            return Stream.concat(jars.map(Path::toString), others).collect(Collectors.joining(File.pathSeparator));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
