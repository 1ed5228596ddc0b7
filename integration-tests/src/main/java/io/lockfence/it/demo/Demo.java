/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.demo;

import io.lockfence.it.Build;
import io.lockfence.it.Jdk;
import io.lockfence.it.Postgres;
import io.lockfence.it.ServiceProcess;
import io.lockfence.it.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * The demo: one stock service, as three JVMs, counts up one row under one distributed lock; three times a JVM is stopped in the middle of
 * an increment for longer than its lease, and woken again. Played without the agent, then with it.
 */
public final class Demo {
    private static final int LEASE_MILLIS = 4_000;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String FINISHED = "^\\[main] (finished|failed) increment";
    private static final List<String> NAMES = List.of("A", "B", "C");

    private final Coordinator coordinator;
    private final Postgres postgres;
    private final boolean fenced;
    private final Tally tally = new Tally();
    private final long start = System.nanoTime();
    /** Whether the services have started. */
    private volatile boolean up;

    private Demo(Coordinator coordinator, Postgres postgres, boolean fenced) {
        this.coordinator = coordinator;
        this.postgres = postgres;
        this.fenced = fenced;
    }

    /** What one of the two runs came to. */
    private record Outcome(long increments, long stored, long refused) {
        long lost() {
            return increments - stored;
        }
    }

    /** @param args none, or {@code --coordinator} and its name */
    public static void main(String[] args) throws Exception {
        Coordinator coordinator = args.length == 0 ? Coordinator.REDIS : null;
        if (args.length == 2 && args[0].equals("--coordinator")) {
            coordinator = Coordinator.named(args[1]);
        }
        if (coordinator == null) {
            System.err.println("demo: usage: ./demo [--coordinator " + Coordinator.names() + "]");
            System.exit(2);
        }
        System.exit(play(coordinator) ? 0 : 1);
    }

    private static boolean play(Coordinator coordinator) throws Exception {
        print("""
                A stock service adds one to a row in PostgreSQL: it takes the lock "order:1" in %1$s, reads the
                row, computes, writes it back, commits. It runs as three JVMs, A, B and C. The lock is a lease of
                %2$d s: %1$s gives it away when it has not heard of its holder for that long. We stop a holder (SIGSTOP, as a long
                garbage collection or a suspended virtual machine does) in mid-increment for longer than that,
                and wake it again: it still believes that it holds the lock.
                """.formatted(coordinator.title(), LEASE_MILLIS / 1_000));
        print("Starting PostgreSQL …");
        try (Postgres postgres = Postgres.start()) {
            print("\n=== 1 of 2: the service as it is ===\n");
            Outcome without = new Demo(coordinator, postgres, false).run();
            print("\n=== 2 of 2: the same jar, started with -javaagent:lockfence.jar ===\n");
            Outcome with = new Demo(coordinator, postgres, true).run();
            print("");
            if (without.lost() < 1) {
                print("The first run lost nothing, so this demo has shown nothing.");
            } else if (with.lost() == 0 && with.refused() > 0) {
                print("Without Lockfence, writes of a holder that had lost its lock overwrote the others' work.");
                print("With it, these writes were refused, and nothing was lost.");
            } else {
                print("With Lockfence this should have lost nothing, and refused something: that is a bug.");
            }
            print("");
            print("without lockfence: increments=%d final=%d lost=%d"
                    .formatted(without.increments(), without.stored(), without.lost()));
            print("with lockfence:    increments=%d final=%d lost=%d refused=%d"
                    .formatted(with.increments(), with.stored(), with.lost(), with.refused()));
            return without.lost() >= 1 && with.lost() == 0 && with.refused() >= 1;
        }
    }

    private Outcome run() throws Exception {
        String database = postgres.createDatabase();
        postgres.createStock(database, 1);
        if (fenced) {
            postgres.installFence(database);
            say("", "the fence table is installed: java -jar lockfence.jar ddl --database postgresql");
        }
        try (Coordinator.Server server = coordinator.start()) {
            List<ServiceProcess> services = new ArrayList<>();
            try {
                for (String name : NAMES) {
                    services.add(start(name, server, database));
                }
                for (ServiceProcess service : services) {
                    service.await("^\\[main] ready$", LIMIT);
                }
                up = true;
                say("", "three JVMs of the service are up" + (fenced ? ", each with the agent" : ""));
                for (int round = 0; round < NAMES.size(); round++) {
                    pauseOneInMidIncrement(services, round);
                }
                services.forEach(service -> service.send("exit"));
                for (ServiceProcess service : services) {
                    service.awaitExit(LIMIT);
                }
            } finally {
                services.forEach(ServiceProcess::close);
            }
        }
        long stored = postgres.number(database, "SELECT value FROM stock WHERE id = 1");
        say("", "the services believe in %d increments; the row says %d".formatted(tally.increments(), stored));
        return new Outcome(tally.increments(), stored, tally.refusals().size());
    }

    private ServiceProcess start(String name, Coordinator.Server server, String database) {
        ServiceProcess.Builder builder = ServiceProcess.builder(name)
                .jdk(Jdk.running())
                .listener(line -> {
                    tally.line(name, line);
                    tell(name, line);
                });
        if (fenced) {
            builder.agent(Build.root().resolve(coordinator.rules()));
        }
        List<String> options = new ArrayList<>(server.options(LEASE_MILLIS));
        options.add("--jdbc=" + postgres.jdbcUrl(database));
        options.add("--user=" + Postgres.SERVICE);
        return builder.jar(coordinator.service())
                .args(options.toArray(String[]::new))
                .start();
    }

    private void pauseOneInMidIncrement(List<ServiceProcess> services, int victim) throws InterruptedException {
        ServiceProcess paused = services.get(victim);
        List<ServiceProcess> others =
                services.stream().filter(Predicate.not(paused::equals)).toList();
        paused.send("increment order:1 1 1000");
        paused.await("^\\[main] read ", LIMIT);
        paused.stop();
        say(paused.name(), "STOPPED, after it has read the row and before it writes it");
        for (ServiceProcess other : others) {
            other.send("increment order:1 1 50");
            other.send("increment order:1 1 50");
        }
        for (ServiceProcess other : others) {
            for (int i = 0; i < 2; i++) {
                other.await(FINISHED, LIMIT);
            }
        }
        say(paused.name(), "WOKEN; its lease has ended, and the others have gone on");
        paused.resume();
        paused.await(FINISHED, LIMIT);
    }

    /** Retells a line of a service. */
    private void tell(String name, String line) {
        String words = line.startsWith("[main] ") ? line.substring("[main] ".length()) : line;
        // Of what the agent logs, the first lines of one JVM are enough here.
        boolean agent = words.startsWith("lockfence:");
        if (agent && (!name.equals(NAMES.get(0)) || up)) {
            return;
        }
        if (words.equals("ready") || words.equals("finished increment")) {
            return;
        }
        if (words.startsWith("failed increment: LF")) {
            say(name, "REFUSED  " + words.substring("failed increment: ".length()));
        } else if (words.startsWith("failed unlock")) {
            say(name, "was told at its unlock that the lock was no longer its own");
        } else {
            say(name, words);
        }
    }

    private void say(String name, String words) {
        double seconds = (System.nanoTime() - start) / 1e9;
        print("%5.1fs  %-2s %s".formatted(seconds, name, words));
    }

    private static void print(String line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }

    static {
        Locale.setDefault(Locale.ROOT);
    }
}
