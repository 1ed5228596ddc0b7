/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One connection of HTTP/1.1 that is kept from request to request. */
final class KeptConnection implements AutoCloseable {
    /** @param fields as they came, each {@code name: value} with the name in small letters */
    record Answer(int status, List<String> fields, String body) {
        String field(String name) {
            for (String field : fields) {
                if (field.startsWith(name + ":")) {
                    return field.substring(name.length() + 1).strip();
                }
            }
            return null;
        }

        boolean closes() {
            return "close".equalsIgnoreCase(field("connection"));
        }
    }

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    KeptConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    Answer send(String method, String path, String body, String... fields) throws IOException {
        write(method, path, body, fields);
        return read(method);
    }

    void write(String method, String path, String body, String... fields) throws IOException {
        StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n");
        for (String field : fields) {
            request.append(field).append("\r\n");
        }
        if (!body.isEmpty()) {
            request.append("Content-Length: ").append(body.length()).append("\r\n");
        }
        out.write((request + "\r\n" + body).getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    /** More of a body; a server that does not want it may close the connection meanwhile. */
    void writeBody(String text) throws IOException {
        try {
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        } catch (SocketException e) {
            // Its answer is there to be read, if it got through.
        }
    }

    Answer read(String method) throws IOException {
        String line = line();
        while (line.startsWith("HTTP/1.1 1")) {
            while (!line.isEmpty()) {
                line = line();
            }
            line = line();
        }
        int status = Integer.parseInt(line.substring(9, 12));
        List<String> fields = new ArrayList<>();
        for (line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            fields.add(line.substring(0, colon).toLowerCase(Locale.ROOT) + line.substring(colon));
        }
        Answer head = new Answer(status, fields, "");
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (!method.equals("HEAD") && status != 204 && status != 304) {
            if (head.field("content-length") != null) {
                copy(body, Integer.parseInt(head.field("content-length")));
            } else if ("chunked".equalsIgnoreCase(head.field("transfer-encoding"))) {
                for (int size = size(); size > 0; size = size()) {
                    copy(body, size);
                    line();
                }
                line();
            } else {
                in.transferTo(body);
            }
        }
        return new Answer(status, fields, body.toString(StandardCharsets.UTF_8));
    }

    private int size() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    private void copy(ByteArrayOutputStream to, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException(bytes.length + " of " + length + " bytes of the body came");
        }
        to.write(bytes);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the connection ended after: " + line);
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
