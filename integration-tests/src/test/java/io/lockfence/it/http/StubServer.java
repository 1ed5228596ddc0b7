/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A server of HTTP/1.1 that keeps what comes over each connection, and does by the path what it is asked to: {@code /redirect?to=URL}, {@code /drop} (the first
 * request of each query gets no answer), {@code /busy} (503 at first), {@code /secret} (Basic), {@code /hold} (until released); all others 200. Thread safe.
 */
final class StubServer implements AutoCloseable {
    /**
     * A request as it came.
     *
     * @param tokens the values of its {@code Fencing-Token} fields
     */
    record Seen(String method, String path, List<String> tokens, boolean authorized) {}

    private final ServerSocket listening;
    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger holding = new AtomicInteger();
    private final Set<String> failed = ConcurrentHashMap.newKeySet();
    private volatile CountDownLatch release = new CountDownLatch(1);
    private volatile Consumer<Seen> listener = request -> {};

    StubServer() {
        try {
            listening = new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    /** The address that the tests' rule names. */
    String url(String path) {
        return "http://127.0.0.1:" + listening.getLocalPort() + path;
    }

    /** The same server under a name that no rule names. */
    String elsewhere(String path) {
        return "http://localhost:" + listening.getLocalPort() + path;
    }

    /** Told each request before it is answered. */
    void listener(Consumer<Seen> value) {
        listener = value;
    }

    List<Seen> seen() {
        return List.copyOf(seen);
    }

    /** The requests to a path, the query included. */
    List<Seen> seen(String path) {
        return seen.stream().filter(request -> request.path().equals(path)).toList();
    }

    /** How many connections were opened so far. */
    int connections() {
        return connections.get();
    }

    /** How many requests wait for {@link #release()}. */
    int holding() {
        return holding.get();
    }

    /** Answers what is held, and all that is held later waits anew. */
    void release() {
        CountDownLatch before = release;
        release = new CountDownLatch(1);
        before.countDown();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket connection = listening.accept();
                connections.incrementAndGet();
                start(() -> serve(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "stub-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Socket connection) {
        try (connection) {
            InputStream in = new BufferedInputStream(connection.getInputStream());
            for (Seen request = read(in); request != null; request = read(in)) {
                seen.add(request);
                listener.accept(request);
                String answer = answer(request);
                if (answer == null) {
                    return;
                }
                connection.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                connection.getOutputStream().flush();
            }
        } catch (IOException e) {
            // The client has gone.
        }
    }

    /** Null for none: the connection is closed. */
    private String answer(Seen request) {
        String path = request.path();
        if (path.startsWith("/redirect?to=")) {
            return "HTTP/1.1 302 Found\r\nLocation: " + path.substring("/redirect?to=".length())
                    + "\r\nContent-Length: 0\r\n\r\n";
        }
        if (path.startsWith("/drop") && failed.add(path)) {
            return null;
        }
        if (path.startsWith("/busy") && failed.add(path)) {
            return "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n";
        }
        if (path.startsWith("/secret") && !request.authorized()) {
            return "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"test\"\r\nContent-Length: 0\r\n\r\n";
        }
        if (path.endsWith("/hold")) {
            hold();
        }
        return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
    }

    private void hold() {
        CountDownLatch until = release;
        holding.incrementAndGet();
        try {
            until.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            holding.decrementAndGet();
        }
    }

    private static Seen read(InputStream in) throws IOException {
        String[] first = line(in).split(" ");
        if (first.length < 3) {
            return null;
        }
        List<String> tokens = new ArrayList<>();
        boolean authorized = false;
        boolean chunked = false;
        int length = 0;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            String name = line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT);
            String value = line.substring(line.indexOf(':') + 1).trim();
            switch (name) {
                case "fencing-token" -> tokens.add(value);
                case "authorization" -> authorized = true;
                case "content-length" -> length = Integer.parseInt(value);
                case "transfer-encoding" -> chunked = value.equals("chunked");
                default -> {}
            }
        }
        in.readNBytes(length);
        while (chunked) {
            int size = Integer.parseInt(line(in).trim(), 16);
            in.readNBytes(size);
            line(in);
            chunked = size > 0;
        }
        return new Seen(first[0], first[1], List.copyOf(tokens), authorized);
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        release();
        listening.close();
    }
}
