/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.it.Build;
import io.lockfence.it.Jdk;
import java.io.File;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

/** {@link PoolUnits} under the agent, with the oldest and newest pools that are known. */
class PoolUnitsIT {
    private static final String ROW = "a task that leaves a lease";

    @TestFactory
    Stream<DynamicContainer> jetty() {
        return Stream.of("9.4.57.v20241219", "11.0.24", "12.0.16")
                .map(version -> pool("jetty", "jetty-util-" + version));
    }

    @TestFactory
    Stream<DynamicContainer> jbossThreads() {
        return Stream.of("2.4.0.Final", "3.5.0.Final").map(version -> pool("jboss", "jboss-threads-" + version));
    }

    private static DynamicContainer pool(String kind, String jar) {
        Path jars = Build.root().resolve("integration-tests/target/pools");
        StringBuilder classPath = new StringBuilder(Rows.classPath());
        for (String name : new String[] {jar, "jboss-logging-3.4.3.Final", "wildfly-common-1.5.4.Final"}) {
            classPath.append(File.pathSeparator).append(jars.resolve(name + ".jar"));
        }
        return Rows.of(jar, Jdk.oldest(), classPath.toString(), PoolUnits.class, Set.of(ROW), kind);
    }
}
