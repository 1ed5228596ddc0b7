/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** Requests of HTTP/1.1 as anybody can write them, byte by byte: what no client library would send. */
final class Wire {
    /** No status: the server closed the connection, since it was sent more than it reads. */
    static final int CLOSED = 0;

    private Wire() {}

    /**
     * An answer.
     *
     * @param status {@link #CLOSED} if the server closed the connection without one
     * @param text all of it
     */
    record Answer(int status, String text) {
        boolean isProblem() {
            return text.toLowerCase(Locale.ROOT).contains("content-type: application/problem+json");
        }
    }

    /** Sends a request with these field lines, each in ISO 8859-1, and reads the answer to its end. */
    static Answer send(int port, String method, String path, String body, List<String> fields) throws IOException {
        StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port
                + "\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n");
        fields.forEach(field -> request.append(field).append("\r\n"));
        request.append("\r\n").append(body);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            return answer(socket, request.toString().getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    private static Answer answer(Socket socket, byte[] request) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try {
            socket.getOutputStream().write(request);
            socket.getOutputStream().flush();
            InputStream in = socket.getInputStream();
            in.transferTo(answer);
        } catch (SocketException e) {
            // Reset by a server that did not care to read all of it: what came until then counts.
        }
        String text = answer.toString(StandardCharsets.ISO_8859_1);
        int status = text.startsWith("HTTP/1.1 ") ? Integer.parseInt(text.substring(9, 12)) : CLOSED;
        return new Answer(status, text);
    }
}
