/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.startup;

import io.lockfence.it.Build;
import io.lockfence.it.Jdk;
import io.lockfence.it.ServiceProcess;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What the tests of this package share. */
final class Startup {
    static final Duration LIMIT = Duration.ofSeconds(120);

    private Startup() {}

    /** The class path of {@link Probe}: our test classes and nothing else. */
    static String testClasses() {
        return Probe.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    static Stream<Jdk> jdks() {
        return Jdk.both().stream();
    }

    /** The probe under the agent, with no rules but what the test gives. */
    static ServiceProcess.Builder probe(Jdk jdk) {
        return ServiceProcess.builder("probe").jdk(jdk).jvm("-javaagent:" + Build.agentJar());
    }

    /** Runs the probe to its end. */
    static List<String> run(ServiceProcess.Builder probe, String... commands) throws InterruptedException {
        try (ServiceProcess process =
                probe.main(testClasses(), Probe.class.getName()).args(commands).start()) {
            int exit = process.awaitExit(LIMIT);
            if (exit != 0) {
                throw new AssertionError("exit " + exit + ". Its output:\n" + process.output());
            }
            return process.lines();
        }
    }
}
