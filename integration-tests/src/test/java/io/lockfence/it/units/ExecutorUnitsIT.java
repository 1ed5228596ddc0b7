/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** {@link ExecutorUnits} under the agent: a test for each JDK and each row. */
class ExecutorUnitsIT {
    @TestFactory
    Stream<DynamicContainer> aLeaseThatATaskLeavesDoesNotPoisonTheNext() {
        return Jvm.all().stream().map(jvm -> DynamicContainer.dynamicContainer(jvm.toString(), rows(jvm)));
    }

    private static List<DynamicTest> rows(Jvm jvm) {
        try {
            Jvm.Run run = jvm.run(ExecutorUnits.class, System.getProperty("java.class.path"));
            List<DynamicTest> rows = new ArrayList<>();
            for (String row : run.lines("ok")) {
                rows.add(DynamicTest.dynamicTest(row, () -> {}));
            }
            for (String row : run.lines("failed")) {
                rows.add(DynamicTest.dynamicTest(row, () -> assertThat(run.toString()).isEqualTo(row)));
            }
            rows.add(DynamicTest.dynamicTest("all rows ran", () -> {
                assertThat(run.exitCode()).as("%s", run).isZero();
                assertThat(run.lines("ok")).as("%s", run).hasSizeGreaterThan(30);
            }));
            return rows;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
