/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bench;

import io.lockfence.it.Build;
import io.lockfence.it.Postgres;
import io.lockfence.it.Redis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Time from the start of the JVM to "ready" of the Spring Boot service (JPA, Redisson, Tomcat), without and with the agent in turn, in
 * pairs, against real servers. Arguments: the number of pairs (default 15). Exit code 1 if the medians' ratio is above the bound of 1.05.
 *
 * <p>The processor time that the JVM has used by then is told as well: it says more on a machine that is busy with other things, where
 * what the agent does beside the service's start is no longer beside it.
 */
public final class StartupBench {
    private static final double BOUND = 1.05;

    /** In milliseconds. */
    private record Start(double elapsed, double processor) {}

    private StartupBench() {}

    public static void main(String[] arguments) throws Exception {
        int pairs = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 15;
        Start[] without = new Start[pairs];
        Start[] with = new Start[pairs];
        Path rules = Files.createTempFile("lockfence", ".yaml");
        try (Postgres postgres = Postgres.start();
                Redis redis = Redis.start()) {
            Files.writeString(rules, """
                    mode: enforce
                    locks:
                      - name: stock
                        library: redisson
                        key: "stock:{id}"
                    targets:
                      - name: stock-db
                        jdbc: "jdbc:postgresql://*/*"
                    """);
            String database = postgres.createDatabase();
            postgres.createStock(database, 1);
            postgres.installFence(database);
            List<String> service = List.of(
                    "-Xmx512m",
                    "-jar",
                    Build.springJar().toString(),
                    "--spring.datasource.url=" + postgres.jdbcUrl(database),
                    "--spring.datasource.username=" + Postgres.SERVICE,
                    "--redis=" + redis.address());
            String agent = "-javaagent:" + Build.agentJar() + "=config=" + rules;
            // Warms the disk's cache.
            start(null, service);
            start(agent, service);
            for (int pair = 0; pair < pairs; pair++) {
                // Each goes first in every second pair: the machine's load drifts.
                if (pair % 2 == 0) {
                    without[pair] = start(null, service);
                    with[pair] = start(agent, service);
                } else {
                    with[pair] = start(agent, service);
                    without[pair] = start(null, service);
                }
                System.out.printf(
                        "pair %2d: %,.0f ms without, %,.0f ms with%n",
                        pair + 1, without[pair].elapsed(), with[pair].elapsed());
            }
        } finally {
            Files.delete(rules);
        }
        double ratio = report("elapsed", without, with, Start::elapsed);
        report("processor", without, with, Start::processor);
        System.out.printf("the bound on the ratio of the elapsed medians is %.2f%n", BOUND);
        System.exit(ratio <= BOUND ? 0 : 1);
    }

    /** Prints one measure, and gives the ratio of its medians. */
    private static double report(String name, Start[] without, Start[] with, ToDoubleFunction<Start> measure) {
        double[] bare = Arrays.stream(without).mapToDouble(measure).sorted().toArray();
        double[] woven = Arrays.stream(with).mapToDouble(measure).sorted().toArray();
        double ratio = median(woven) / median(bare);
        System.out.printf(
                "%-9s median %,.0f ms without, %,.0f ms with, ratio %.3f; min %,.0f and %,.0f, ratio %.3f%n",
                name, median(bare), median(woven), ratio, bare[0], woven[0], woven[0] / bare[0]);
        return ratio;
    }

    /** Until the service says that it is ready; then it is killed. */
    private static Start start(String agent, List<String> service) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (agent != null) {
            command.add(agent);
        }
        command.addAll(service);
        StringBuilder output = new StringBuilder();
        long before = System.nanoTime();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.append(line).append('\n');
                if (line.startsWith("ready ")) {
                    double elapsed = (System.nanoTime() - before) / 1e6;
                    return new Start(
                            elapsed,
                            process.info().totalCpuDuration().orElseThrow().toMillis());
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        throw new IllegalStateException("the service did not start:\n" + output);
    }

    private static double median(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
