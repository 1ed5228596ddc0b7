/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.it.Build;
import io.lockfence.it.Jdk;
import io.lockfence.it.ServiceProcess;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;

/** A program of rows: it runs them in its {@code main} and prints "ok ROW" or "failed ROW: why" for each, then "end". */
public final class Rows {
    /** One thing that is to hold; what it throws says why it does not. */
    public interface Row {
        void run() throws Exception;
    }

    private Rows() {}

    /** In the program: runs one row. */
    public static void row(String name, Row row) {
        try {
            row.run();
            System.out.println("ok " + name);
        } catch (Throwable t) {
            System.out.println("failed " + name + ": " + t);
            t.printStackTrace(System.out);
        }
    }

    /** In a row: fails it unless the condition holds. */
    public static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    /** The tests' class path without our own modules: a service has none of them, and the JVM looks there for the agent's entry. */
    public static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("lockfence-")
                        && Stream.of("bootstrap", "instrumentation", "agent")
                                .noneMatch(module ->
                                        Path.of(entry).startsWith(Build.root().resolve(module))))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * In the test: runs the program in a JVM of its own under the agent, and makes each of its rows a test.
     *
     * @param expected rows that must be among them
     */
    public static DynamicContainer of(
            String name, Jdk jdk, String classPath, Class<?> program, Set<String> expected, String... arguments) {
        return of(name, jdk, List.of(), classPath, program, expected, arguments);
    }

    /**
     * The same, with options of the JVM in front of the agent.
     *
     * @param expected rows that must be among them
     */
    public static DynamicContainer of(
            String name,
            Jdk jdk,
            List<String> options,
            String classPath,
            Class<?> program,
            Set<String> expected,
            String... arguments) {
        List<DynamicTest> tests = new ArrayList<>();
        try (ServiceProcess process = ServiceProcess.builder(program.getSimpleName())
                .jdk(jdk)
                .jvm(options.toArray(String[]::new))
                .jvm("-javaagent:" + Build.agentJar())
                .main(classPath, program.getName())
                .args(arguments)
                .start()) {
            process.await("^end$", Duration.ofSeconds(900));
            for (String line : process.lines()) {
                if (line.startsWith("ok ")) {
                    tests.add(DynamicTest.dynamicTest(line.substring(3), () -> {}));
                } else if (line.startsWith("failed ")) {
                    String output = process.output();
                    tests.add(DynamicTest.dynamicTest(line.substring(7), () -> {
                        throw new AssertionError(output);
                    }));
                }
            }
            List<String> names = tests.stream().map(DynamicTest::getDisplayName).toList();
            tests.add(DynamicTest.dynamicTest(
                    "every row has run", () -> assertThat(names).containsAll(expected)));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return DynamicContainer.dynamicContainer(name, tests);
    }
}
