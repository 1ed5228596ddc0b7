/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import io.lockfence.it.Postgres;
import io.lockfence.it.ServiceProcess;
import io.lockfence.it.World;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A service that is called: all the servers of the matrix in one JVM. */
final class Receiver {
    private static final Pattern SERVING = Pattern.compile("^\\[main] serving (\\S+) (\\d+)$");

    private final Map<String, Integer> ports = new TreeMap<>();
    private final ServiceProcess process;

    Receiver(World world, String name, Map<String, String> environment, List<String> servers, String... options) {
        process = world.http(
                name,
                "receiver.ReceiverService",
                environment,
                line -> {},
                Stream.concat(
                                Stream.of(
                                        "--servers=" + String.join(",", servers),
                                        "--jdbc=" + world.database().jdbcUrl(world.databaseName()),
                                        "--user=" + Postgres.SERVICE),
                                Stream.of(options))
                        .toArray(String[]::new));
    }

    /** Waits until all of its servers have started, or failed to. */
    void ready() throws InterruptedException {
        process.await("^\\[main] ready$", Duration.ofMinutes(2));
        for (String line : process.lines()) {
            Matcher matcher = SERVING.matcher(line);
            if (matcher.matches()) {
                ports.put(matcher.group(1), Integer.parseInt(matcher.group(2)));
            }
        }
    }

    int port(String server) {
        Integer port = ports.get(server);
        if (port == null) {
            throw new AssertionError(server + " did not start:\n" + process.output());
        }
        return port;
    }

    String url(String server) {
        return "http://127.0.0.1:" + port(server);
    }

    ServiceProcess process() {
        return process;
    }
}
