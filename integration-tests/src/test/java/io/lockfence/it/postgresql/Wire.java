/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy in front of the server that understands the frames of PostgreSQL's protocol: it keeps the types of the messages that clients
 * send, and counts how often they then waited for an answer.
 */
final class Wire implements AutoCloseable {
    private final ServerSocket listener;
    private final int serverPort;
    private final StringBuffer sent = new StringBuffer();
    private final AtomicInteger ready = new AtomicInteger();
    private final AtomicInteger roundTrips = new AtomicInteger();

    Wire(int serverPort) throws IOException {
        this.serverPort = serverPort;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:" + listener.getLocalPort()
                + "/postgres?sslmode=disable&gssEncMode=disable";
    }

    /**
     * The types of the messages that clients have sent since the last {@link #reset()}, such as {@code PBDES}; without Terminate, and without
     * Close, which the driver sends when the garbage collector has found a statement.
     */
    String sent() {
        return sent.toString().replace("C", "");
    }

    /** How often the server said that it is ready for the next query. */
    int readyForQuery() {
        return ready.get();
    }

    /** How often a client sent something after the server had answered what was sent before: the network round trips. */
    int roundTrips() {
        return roundTrips.get();
    }

    void reset() {
        sent.setLength(0);
        ready.set(0);
        roundTrips.set(0);
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                AtomicBoolean answered = new AtomicBoolean(true);
                daemon(() -> pump(client, server, true, answered));
                daemon(() -> pump(server, client, false, answered));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    /** Passes on what it reads in one piece, as it was sent in one piece: the server must not answer half a message train. */
    private void pump(Socket from, Socket to, boolean fromClient, AtomicBoolean answered) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            if (fromClient) {
                startup(in, out);
            }
            Frames frames = new Frames();
            byte[] piece = new byte[1 << 16];
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                String types = frames.types(piece, length);
                if (fromClient && !types.equals("X")) {
                    sent.append(types);
                    if (answered.getAndSet(false)) {
                        roundTrips.incrementAndGet();
                    }
                } else if (!fromClient) {
                    answered.set(true);
                    ready.addAndGet(
                            (int) types.chars().filter(type -> type == 'Z').count());
                }
                out.write(piece, 0, length);
                out.flush();
            }
        } catch (SocketException | EOFException ended) {
            // One side has closed.
        } catch (IOException e) {
            throw new IllegalStateException("the proxy failed", e);
        }
    }

    private static void startup(InputStream in, OutputStream out) throws IOException {
        DataInputStream data = new DataInputStream(in);
        int length = data.readInt();
        byte[] body = data.readNBytes(length - 4);
        DataOutputStream copy = new DataOutputStream(out);
        copy.writeInt(length);
        copy.write(body);
        copy.flush();
    }

    /** Finds where messages begin in a stream that comes in pieces. */
    private static final class Frames {
        private final byte[] header = new byte[5];
        private int headerBytes;
        private int bodyLeft;

        String types(byte[] piece, int length) {
            StringBuilder types = new StringBuilder();
            for (int i = 0; i < length; i++) {
                if (bodyLeft > 0) {
                    int skipped = Math.min(bodyLeft, length - i);
                    bodyLeft -= skipped;
                    i += skipped - 1;
                    continue;
                }
                header[headerBytes++] = piece[i];
                if (headerBytes == header.length) {
                    types.append((char) header[0]);
                    bodyLeft = ByteBuffer.wrap(header, 1, 4).getInt() - 4;
                    headerBytes = 0;
                }
            }
            return types.toString();
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "wire");
        thread.setDaemon(true);
        thread.start();
    }
}
