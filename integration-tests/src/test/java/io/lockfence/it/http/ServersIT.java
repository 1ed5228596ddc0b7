/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import io.lockfence.it.Build;
import io.lockfence.it.Jdk;
import io.lockfence.it.units.Rows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

/** {@link ServerContract} under the agent: every server in its oldest and its newest version. */
class ServersIT {
    private static final Path LIBS = Build.root().resolve("integration-tests/services/http/target/libs");

    @TestFactory
    Stream<DynamicContainer> requestsThatComeIn() throws IOException {
        Set<String> expected = TestedServer.all(LIBS).stream()
                .map(server -> server.name() + ": no faults")
                .collect(Collectors.toSet());
        return Stream.of(
                Rows.of("servers", Jdk.oldest(), Rows.classPath(), ServerContract.class, expected, LIBS.toString()));
    }

    @TestFactory
    DynamicContainer requestsThatComeIntoTheNewestJdk() {
        return Rows.of(
                "jdk",
                Jdk.newest(),
                Rows.classPath(),
                ServerContract.class,
                Set.of("jdk/handlers: no faults"),
                LIBS.toString(),
                "jdk");
    }
}
