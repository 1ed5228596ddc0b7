/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.it.Jdk;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

/** {@link Carried} under the agent: a test for each JDK and each row. */
class CarriedIT {
    @TestFactory
    Stream<DynamicContainer> aLeaseFollowsTheWorkThroughLibraries() {
        return Jdk.both().stream()
                .map(jdk -> Rows.of(
                        jdk.toString(),
                        jdk,
                        Rows.classPath(),
                        Carried.class,
                        Set.of(
                                "@Async, SimpleAsyncTaskExecutor, lost",
                                "coroutine on Default, released",
                                "Mono after a delay, renewed",
                                "nothing is left")));
    }
}
