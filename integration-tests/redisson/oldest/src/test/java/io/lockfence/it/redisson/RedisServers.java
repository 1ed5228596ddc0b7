/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import redis.embedded.RedisServer;

/** One real Redis for all tests of this JVM, and a connection of the tests' own to look at it. */
final class RedisServers {
    private static final RedisServer SERVER;
    private static final int PORT = freePort();

    static {
        try {
            SERVER = RedisServer.newRedisServer()
                    .port(PORT)
                    .bind("127.0.0.1")
                    .setting("save \"\"")
                    .setting("user limited on >secret ~order* ~redisson* +@all &*")
                    .build();
            SERVER.start();
            Runtime.getRuntime().addShutdownHook(new Thread(RedisServers::stop));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RedisServers() {}

    static String address() {
        return "redis://127.0.0.1:" + PORT;
    }

    /** The answer's first line, or the text of a bulk string; null for a null. */
    static String command(String... words) {
        StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            request.append('$')
                    .append(word.length())
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), PORT)) {
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.US_ASCII));
            InputStream in = new BufferedInputStream(socket.getInputStream());
            String first = line(in);
            if (first.startsWith("-")) {
                throw new IllegalStateException(first);
            }
            if (!first.startsWith("$")) {
                return first.substring(1);
            }
            int length = Integer.parseInt(first.substring(1));
            return length < 0 ? null : new String(in.readNBytes(length), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\r' && c >= 0; c = in.read()) {
            line.append((char) c);
        }
        in.read();
        return line.toString();
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void stop() {
        try {
            SERVER.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
