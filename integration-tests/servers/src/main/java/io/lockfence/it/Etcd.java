/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A real etcd in a process of its own, on free ports of the loopback interface, with data of its own: alone, or one of a cluster. Not thread safe. */
public final class Etcd implements AutoCloseable {
    /** What Debian has. */
    public enum Version {
        /** 3.4.23: tells a waiter whose lease has ended that it has acquired. */
        V3_4("bookworm"),
        /** 3.5.16. */
        V3_5("trixie");

        private final String suite;

        Version(String suite) {
            this.suite = suite;
        }
    }

    private static final long READY_MILLIS = 30_000;

    private final Version version;
    private final String name;
    private final Path folder;
    private final int port = freePort();
    private final int peerPort = freePort();
    private final Thread closing = new Thread(this::kill);
    private String cluster;
    private Process process;

    private Etcd(Version version, String name) {
        this.version = version;
        this.name = name;
        this.cluster = name + "=" + peerUrl();
        try {
            folder = Files.createTempDirectory("lockfence-etcd");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(closing);
    }

    public static Etcd start(Version version) {
        Etcd etcd = new Etcd(version, "one");
        etcd.launch();
        etcd.awaitReady();
        return etcd;
    }

    /** Members of one cluster, all ready. */
    public static List<Etcd> cluster(Version version, int members) {
        List<Etcd> all = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            all.add(new Etcd(version, "member" + i));
        }
        String together = all.stream().map(member -> member.cluster).collect(Collectors.joining(","));
        for (Etcd member : all) {
            member.cluster = together;
            member.launch();
        }
        all.forEach(Etcd::awaitReady);
        return all;
    }

    public int port() {
        return port;
    }

    /** Where clients find it. */
    public String endpoint() {
        return "http://127.0.0.1:" + port;
    }

    private String peerUrl() {
        return "http://127.0.0.1:" + peerPort;
    }

    /** Whether it leads its cluster, as it believes itself. */
    public boolean leads() {
        return read("/metrics").lines().anyMatch(line -> line.equals("etcd_server_is_leader 1"));
    }

    /** Stops to answer and to count time; what is sent to it waits (SIGSTOP). */
    public void pause() {
        signal("STOP");
    }

    /** Goes on (SIGCONT). */
    public void resume() {
        signal("CONT");
    }

    private void signal(String signal) {
        run(Map.of(), List.of("kill", "-" + signal, Long.toString(process.pid())));
    }

    /**
     * Killed and started again at the same port.
     *
     * @param keepData whether it remembers its keys and leases
     */
    public void restart(boolean keepData) {
        kill();
        if (!keepData) {
            delete(data());
        }
        launch();
        awaitReady();
    }

    /** Killed (SIGKILL), until {@link #relaunch()}. */
    public void kill() {
        if (process != null) {
            process.destroyForcibly();
            try {
                process.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Started again after {@link #kill()}, with its data. */
    public void relaunch() {
        launch();
        awaitReady();
    }

    /** An administrator ends a lease, by {@code etcdctl lease revoke}. */
    public void revoke(long leaseId) {
        etcdctl("lease", "revoke", Long.toHexString(leaseId));
    }

    /** The keys that begin so, one a line, by {@code etcdctl get}. */
    public String keys(String prefix) {
        return etcdctl("get", "--prefix", "--keys-only", prefix).strip();
    }

    private String etcdctl(String... words) {
        List<String> command = new ArrayList<>(List.of(etcdctl(), "--endpoints=" + endpoint()));
        command.addAll(List.of(words));
        return run(Map.of("ETCDCTL_API", "3"), command);
    }

    /** All that it has now, by {@code etcdctl snapshot save}. */
    public Path snapshot() {
        Path file = folder.resolve("snapshot-" + System.nanoTime());
        etcdctl("snapshot", "save", file.toString());
        return file;
    }

    /** Killed, and started again with what it had when the snapshot was taken, by {@code etcdctl snapshot restore}: as the same cluster. */
    public void restore(Path snapshot) {
        kill();
        delete(data());
        run(
                Map.of("ETCDCTL_API", "3"),
                List.of(
                        etcdctl(),
                        "snapshot",
                        "restore",
                        snapshot.toString(),
                        "--name=" + name,
                        "--data-dir=" + data(),
                        "--initial-cluster=" + cluster,
                        "--initial-advertise-peer-urls=" + peerUrl()));
        launch();
        awaitReady();
    }

    private static String etcdctl() {
        return DebianPackage.unpacked("bookworm", "etcd-client")
                .resolve("usr/bin/etcdctl")
                .toString();
    }

    private Path data() {
        return folder.resolve("data");
    }

    private void launch() {
        Path program =
                DebianPackage.unpacked(version.suite, "etcd-server").resolve("usr/bin/etcd");
        try {
            process = new ProcessBuilder(
                            program.toString(),
                            "--name=" + name,
                            "--data-dir=" + data(),
                            "--listen-client-urls=" + endpoint(),
                            "--advertise-client-urls=" + endpoint(),
                            "--listen-peer-urls=" + peerUrl(),
                            "--initial-advertise-peer-urls=" + peerUrl(),
                            "--initial-cluster=" + cluster,
                            "--heartbeat-interval=100",
                            "--election-timeout=" + (cluster.contains(",") ? 1_000 : 500),
                            "--log-level=error")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("etcd did not start", e);
        }
    }

    private Path log() {
        return folder.resolve("etcd.log");
    }

    private void awaitReady() {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_MILLIS);
        try {
            while (!read("/health").contains("\"true\"")) {
                if (!process.isAlive() || System.nanoTime() - until > 0) {
                    throw new IllegalStateException("etcd is not ready: " + Files.readString(log()));
                }
                Thread.sleep(20);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Empty where nobody answers. */
    private String read(String path) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create(endpoint() + path).toURL().openConnection();
            connection.setConnectTimeout(1_000);
            connection.setReadTimeout(2_000);
            try (InputStream answer = connection.getInputStream()) {
                return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return "";
        }
    }

    private static String run(Map<String, String> environment, List<String> command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().putAll(environment);
            Process process = builder.start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(command + ": " + said);
            }
            return said;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(closing);
        } catch (IllegalStateException e) {
            // The JVM is ending already.
        }
        delete(folder);
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                    Files.delete(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
