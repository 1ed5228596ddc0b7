/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real PgBouncer 1.18 in a process of its own, on a free port of the loopback interface, in front of database {@code postgres} of one server. Not thread safe. */
public final class PgBouncer implements AutoCloseable {
    private static final String SUITE = "bookworm";
    private static final long READY_MILLIS = 30_000;

    private final Path folder;
    private final int port;
    private final Process process;

    private PgBouncer(int postgresPort, String mode, boolean roundRobin) throws IOException {
        folder = Files.createTempDirectory("lockfence-pgbouncer");
        port = freePort();
        Path settings = folder.resolve("pgbouncer.ini");
        Files.writeString(
                settings,
                """
                [databases]
                postgres = host=127.0.0.1 port=%d dbname=postgres user=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = %s
                default_pool_size = 10
                server_round_robin = %d
                ignore_startup_parameters = extra_float_digits
                """
                        .formatted(postgresPort, port, mode, roundRobin ? 1 : 0));
        Path libraries = DebianPackage.unpacked(SUITE, "libc-ares2").resolve("usr/lib");
        ProcessBuilder builder = new ProcessBuilder(
                        DebianPackage.unpacked(SUITE, "pgbouncer").resolve("usr/sbin/pgbouncer").toString(),
                        // It refuses to run as root; nobody else may become another user.
                        "-u",
                        ProcessHandle.current().info().user().orElse("root").equals("root")
                                ? "nobody"
                                : ProcessHandle.current().info().user().orElseThrow(),
                        settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment().put("LD_LIBRARY_PATH", String.join(":", folders(libraries)));
        process = builder.start();
    }

    /**
     * Starts one.
     *
     * @param mode {@code session} or {@code transaction}
     * @param roundRobin whether each transaction gets another session, as far as there are several
     */
    public static PgBouncer start(int postgresPort, String mode, boolean roundRobin) {
        try {
            PgBouncer started = new PgBouncer(postgresPort, mode, roundRobin);
            started.awaitReady();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> folders(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isDirectory).map(Path::toString).toList();
        }
    }

    private void awaitReady() throws IOException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_MILLIS);
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() - until > 0) {
                    String log = Files.readString(folder.resolve("log"));
                    close();
                    throw new IllegalStateException("PgBouncer did not start: " + log, e);
                }
            }
        }
    }

    /** What services connect to. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres&prepareThreshold=0";
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
            Files.deleteIfExists(folder.resolve("pgbouncer.ini"));
            Files.deleteIfExists(folder.resolve("log"));
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
