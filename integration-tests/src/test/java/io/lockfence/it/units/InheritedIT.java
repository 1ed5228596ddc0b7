/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.it.Jdk;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

/** {@link Inherited} under the agent: a test for each JDK and each row. */
class InheritedIT {
    @TestFactory
    Stream<DynamicContainer> aLeaseFollowsTheWorkToExecutors() {
        return Jdk.both().stream()
                .map(jdk -> Rows.of(
                        jdk.toString(),
                        jdk,
                        Rows.classPath(),
                        Inherited.class,
                        Set.of(
                                "fixed pool of two, submit(Callable), lost",
                                "common pool, parallel stream within a task, released",
                                "10,000 requests on a small pool leave nothing",
                                "nothing is left")));
    }
}
