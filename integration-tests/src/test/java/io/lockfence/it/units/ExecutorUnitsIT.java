/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.it.Jdk;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

/** {@link ExecutorUnits} under the agent: a test for each JDK and each row. */
class ExecutorUnitsIT {
    @TestFactory
    Stream<DynamicContainer> aLeaseThatATaskLeavesDoesNotPoisonTheNext() {
        return Jdk.both().stream()
                .map(jdk -> Rows.of(
                        jdk.toString(),
                        jdk,
                        Rows.classPath(),
                        ExecutorUnits.class,
                        Set.of(
                                "fixed pool of two sets aside",
                                "single thread keeps",
                                "nothing is left on any thread")));
    }
}
