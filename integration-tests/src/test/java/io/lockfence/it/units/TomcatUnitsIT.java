/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.it.Jdk;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

/** {@link TomcatUnits} under the agent: a pool on each JDK, and virtual threads where the JDK has them. */
class TomcatUnitsIT {
    private static final Set<String> ROWS = Set.of(
            "ten thousand requests that leave a lease",
            "requests that are dispatched and leave two",
            "nothing is left on any thread");

    @TestFactory
    Stream<DynamicContainer> aRequestNeverStartsWithTheLeaseOfAnEarlierOne() {
        return Stream.concat(
                Jdk.both().stream().map(jdk -> tomcat(jdk, "platform")),
                Jdk.both().stream().filter(jdk -> jdk.feature() >= 21).map(jdk -> tomcat(jdk, "virtual")));
    }

    private static DynamicContainer tomcat(Jdk jdk, String threads) {
        return Rows.of(jdk + ", " + threads + " threads", jdk, Rows.classPath(), TomcatUnits.class, ROWS, threads);
    }
}
