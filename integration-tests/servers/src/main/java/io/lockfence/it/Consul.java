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
import java.util.concurrent.TimeUnit;

/** A real server of Consul 1.8.7 in a process of its own, on free ports of the loopback interface, with data of its own. Not thread safe. */
public final class Consul implements AutoCloseable {
    private static final long READY_MILLIS = 60_000;

    private final Path folder;
    private final int port = freePort();
    private final int serverPort = freePort();
    private final int gossipPort = freePort();
    private final Thread closing = new Thread(this::kill);
    private Process process;

    private Consul() {
        try {
            folder = Files.createTempDirectory("lockfence-consul");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(closing);
    }

    public static Consul start() {
        Consul consul = new Consul();
        consul.launch();
        consul.awaitReady();
        return consul;
    }

    /** Of its HTTP interface. */
    public int port() {
        return port;
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
        run(List.of("kill", "-" + signal, Long.toString(process.pid())));
    }

    /**
     * Killed and started again at the same port.
     *
     * @param keepData whether it remembers its keys and sessions
     */
    public void restart(boolean keepData) {
        kill();
        if (!keepData) {
            delete(data());
        }
        launch();
        awaitReady();
    }

    /** Killed (SIGKILL). */
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

    /** An administrator ends a session. */
    public void destroySession(String session) {
        request("PUT", "/v1/session/destroy/" + session);
    }

    /** An administrator deletes a key. */
    public void deleteKey(String key) {
        request("DELETE", "/v1/kv/" + key);
    }

    /** Somebody else acquires a key. */
    public void acquire(String key, String session) {
        request("PUT", "/v1/kv/" + key + "?acquire=" + session);
    }

    /** A key as it is now, as Consul shows it; empty where there is none. */
    public String key(String key) {
        return request("GET", "/v1/kv/" + key + "?consistent");
    }

    /** All that it has now, by {@code consul snapshot save}. */
    public Path snapshot() {
        Path file = folder.resolve("snapshot-" + System.nanoTime());
        run(List.of(program(), "snapshot", "save", "-http-addr=127.0.0.1:" + port, file.toString()));
        return file;
    }

    /** Killed, and in its place a new server with what it had when the snapshot was taken, by {@code consul snapshot restore}. */
    public void restore(Path snapshot) {
        restart(false);
        run(List.of(program(), "snapshot", "restore", "-http-addr=127.0.0.1:" + port, snapshot.toString()));
        awaitReady();
    }

    private static String program() {
        return DebianPackage.unpacked("bullseye", "consul")
                .resolve("usr/bin/consul")
                .toString();
    }

    private Path data() {
        return folder.resolve("data");
    }

    private void launch() {
        List<String> command = new ArrayList<>(List.of(
                program(),
                "agent",
                "-server",
                "-bootstrap-expect=1",
                "-node=one",
                "-bind=127.0.0.1",
                "-client=127.0.0.1",
                "-data-dir=" + data(),
                "-http-port=" + port,
                "-server-port=" + serverPort,
                "-serf-lan-port=" + gossipPort,
                "-serf-wan-port=-1",
                "-dns-port=-1",
                "-log-level=warn"));
        // Shorter than the least that is usual, so that tests need not wait so long.
        command.addAll(List.of("-hcl", "session_ttl_min = \"2s\"", "-hcl", "performance { raft_multiplier = 1 }"));
        command.addAll(List.of("-hcl", "disable_update_check = true", "-hcl", "limits { http_max_conns_per_client = 1000 }"));
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("Consul did not start", e);
        }
    }

    private Path log() {
        return folder.resolve("consul.log");
    }

    /** It leads, and knows that it is well itself, which sessions depend on. */
    private void awaitReady() {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_MILLIS);
        try {
            while (true) {
                String created = request("PUT", "/v1/session/create");
                if (created.contains("\"ID\"")) {
                    destroySession(created.replaceAll("(?s).*\"ID\"\\s*:\\s*\"([^\"]+)\".*", "$1"));
                    return;
                }
                if (!process.isAlive() || System.nanoTime() - until > 0) {
                    throw new IllegalStateException("Consul is not ready: " + Files.readString(log()));
                }
                Thread.sleep(50);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Empty where nobody answers, or not with a success. */
    private String request(String method, String path) {
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
            connection.setRequestMethod(method);
            connection.setConnectTimeout(1_000);
            connection.setReadTimeout(5_000);
            try (InputStream answer = connection.getInputStream()) {
                return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return "";
        }
    }

    private static void run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(command + ": " + said);
            }
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
