/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What a woven call may cost where no lease is, as a test: exits with 1 where DESIGN §6 does not hold.
 *
 * <p>For busy machines. JVMs with and without the agent are measured in turn, in rounds, and of each the least that any iteration of any round took is compared: what
 * else runs on the machine only adds. Rounds are added until the bounds hold; what costs too much never gets there.
 */
public final class Gate {
    private static final int ROUNDS = 20;
    /** More than the bare call, in nanoseconds. */
    private static final double NANOS = 5;
    /** Bytes for each call; the least object has 16. */
    private static final double BYTES = 1;

    private static final String BARE = "bare";
    private static final String NO_LEASE = "noLease";

    private record Cost(double nanos, double bytes) {
        Cost least(Cost other) {
            return other == null ? this : new Cost(Math.min(nanos, other.nanos), Math.min(bytes, other.bytes));
        }
    }

    private Gate() {}

    public static void main(String[] arguments) throws RunnerException {
        List<String> missed = new ArrayList<>();
        for (Class<?> benchmarks : List.of(WovenCall.class, WovenRequest.class, Submission.class)) {
            if (!holds(benchmarks)) {
                missed.add(benchmarks.getSimpleName());
            }
        }
        if (!missed.isEmpty()) {
            System.out.println("costs more than DESIGN §6 allows: " + String.join(", ", missed));
            System.exit(1);
        }
    }

    private static boolean holds(Class<?> benchmarks) throws RunnerException {
        Map<String, Cost> least = new HashMap<>();
        for (int round = 1; round <= ROUNDS; round++) {
            for (String benchmark : List.of(BARE, NO_LEASE)) {
                least.put(benchmark, measured(benchmarks, benchmark).least(least.get(benchmark)));
            }
            Cost bare = least.get(BARE);
            Cost noLease = least.get(NO_LEASE);
            double more = noLease.nanos() - bare.nanos();
            double bytes = noLease.bytes() - bare.bytes();
            boolean holds = more <= NANOS && bytes < BYTES;
            System.out.printf(
                    "%s, %d of %d rounds at most: bare %.1f ns, no lease %.1f ns: %.1f ns and %.2f B more%s%n",
                    benchmarks.getSimpleName(),
                    round,
                    ROUNDS,
                    bare.nanos(),
                    noLease.nanos(),
                    more,
                    bytes,
                    holds ? "" : ", too much");
            if (holds) {
                return true;
            }
        }
        return false;
    }

    /** One JVM. */
    private static Cost measured(Class<?> benchmarks, String benchmark) throws RunnerException {
        RunResult result = new Runner(new OptionsBuilder()
                        .include("^" + benchmarks.getName().replace(".", "\\.") + "\\." + benchmark + "$")
                        .forks(1)
                        .warmupIterations(4)
                        .warmupTime(TimeValue.milliseconds(400))
                        .measurementIterations(30)
                        .measurementTime(TimeValue.milliseconds(30))
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle();
        Cost least = null;
        for (IterationResult iteration :
                result.getBenchmarkResults().iterator().next().getIterationResults()) {
            least = new Cost(
                            iteration.getPrimaryResult().getScore(),
                            iteration
                                    .getSecondaryResults()
                                    .get("gc.alloc.rate.norm")
                                    .getScore())
                    .least(least);
        }
        return least;
    }
}
