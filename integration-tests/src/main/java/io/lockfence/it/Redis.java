/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import redis.embedded.core.ExecutableProvider;

/**
 * A real Redis on a free loopback port, that keeps nothing on disk: {@link #restart} loses all data, as a flush or a failover to an empty
 * replica does. Not thread safe but for {@link #command}.
 */
public final class Redis implements AutoCloseable {
    private static Path executable;

    private final int port = Ports.free();
    private final Path folder;
    private final Map<String, String> environment;
    private final Thread closing = new Thread(this::kill);
    private Process process;

    private Redis(Map<String, String> environment) {
        this.environment = environment;
        try {
            folder = Files.createTempDirectory("lockfence-redis");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(closing);
        launch();
    }

    public static Redis start() {
        return start(Map.of());
    }

    /** With these variables added to its environment, a fake clock's for instance. */
    public static Redis start(Map<String, String> environment) {
        return new Redis(environment);
    }

    public int port() {
        return port;
    }

    public String address() {
        return "redis://127.0.0.1:" + port;
    }

    /** Killed and started again at the same port, empty. */
    public void restart() {
        kill();
        launch();
    }

    private void launch() {
        try {
            ProcessBuilder builder = new ProcessBuilder(
                    executable().toString(),
                    "--port",
                    "" + port,
                    "--bind",
                    "127.0.0.1",
                    "--save",
                    "",
                    "--appendonly",
                    "no");
            builder.environment().putAll(environment);
            builder.directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("redis.log").toFile());
            process = builder.start();
            Waits.until("Redis answers PING", Duration.ofSeconds(20), () -> {
                if (!process.isAlive()) {
                    throw new IllegalStateException("Redis ended: " + Files.readString(folder.resolve("redis.log")));
                }
                return command("PING").equals("PONG");
            });
        } catch (IOException e) {
            throw new UncheckedIOException("Redis did not start", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static synchronized Path executable() throws IOException {
        if (executable == null) {
            executable = ExecutableProvider.newJarResourceProvider(ExecutableProvider.newProvidedVersionsMap())
                    .get()
                    .toPath();
        }
        return executable;
    }

    /**
     * Sends one command and gives its answer: text, a number as text, or the elements of an array one a line; empty for nil.
     *
     * @throws IOException if there is no connection, or Redis answers with an error
     */
    public String command(String... words) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5_000);
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
            for (String word : words) {
                byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
                request.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
                request.writeBytes(bytes);
                request.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
            }
            socket.getOutputStream().write(request.toByteArray());
            socket.getOutputStream().flush();
            return answer(new BufferedInputStream(socket.getInputStream()));
        }
    }

    private static String answer(InputStream in) throws IOException {
        String line = line(in);
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+', ':' -> rest;
            case '$' -> {
                int length = Integer.parseInt(rest);
                if (length < 0) {
                    yield "";
                }
                String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
                in.skipNBytes(2);
                yield text;
            }
            case '*' -> {
                List<String> elements = new ArrayList<>();
                for (int i = Integer.parseInt(rest); i > 0; i--) {
                    elements.add(answer(in));
                }
                yield String.join("\n", elements);
            }
            default -> throw new IOException("Redis: " + rest);
        };
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\r'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("Redis closed the connection");
            }
            line.append((char) c);
        }
        in.skipNBytes(1);
        return line.toString();
    }

    private void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
        Runtime.getRuntime().removeShutdownHook(closing);
        try {
            Files.deleteIfExists(folder.resolve("redis.log"));
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
