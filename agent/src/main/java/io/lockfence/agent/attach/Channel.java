/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.attach;

import io.lockfence.agent.config.Mode;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One request and its answer, between two JVMs of one machine: what a JVM's attach mechanism hands over is a line of text, with no answer. The command line
 * listens on a loopback port of its own, for as long as it waits; the agent is told the port and a secret, so that nobody else can answer. No file is
 * written, and neither has to be able to read what the other can.
 */
public final class Channel implements AutoCloseable {
    private static final int PROTOCOL = 1;
    /** Each side tells the other one half. */
    private static final int SECRET_BYTES = 32;

    private static final int LONGEST = 1 << 23;
    private static final int CONNECT_MILLIS = 10_000;
    /** For the agent to get its request. */
    private static final int REQUEST_MILLIS = 30_000;

    /** The agent's side said hello: who it is, and its connection, on which it waits for a request. */
    public static final class Agent implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;
        private String version;

        private final String answer;

        private Agent(Socket socket, String answer) throws IOException {
            this.socket = socket;
            this.answer = answer;
            this.in = new DataInputStream(socket.getInputStream());
            this.out = new DataOutputStream(socket.getOutputStream());
        }

        /** Of Lockfence in the JVM. */
        public String version() {
            return version;
        }

        /**
         * Sends the request and waits for its answer.
         *
         * @throws SocketTimeoutException if none comes in time; it may be carried out all the same
         */
        public Answer ask(Request request, int millis) throws IOException {
            out.write(answer.getBytes(StandardCharsets.US_ASCII));
            write(out, request.rules());
            write(out, request.source());
            write(out, request.mode() == null ? null : request.mode().name());
            out.flush();
            socket.setSoTimeout(millis);
            Answer.Outcome outcome = Answer.Outcome.valueOf(read(in));
            List<String> lines = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                lines.add(read(in));
            }
            return new Answer(outcome, lines);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private final ServerSocket listening;
    private final String secret;

    private Channel(ServerSocket listening, String secret) {
        this.listening = listening;
        this.secret = secret;
    }

    /** The command line's side: listens. */
    public static Channel listen() throws IOException {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return new Channel(
                new ServerSocket(0, 8, InetAddress.getLoopbackAddress()),
                HexFormat.of().formatHex(secret));
    }

    /** What the agent must be told to find this side: a short line without blanks. */
    public String address() {
        return PROTOCOL + "," + listening.getInetAddress().getHostAddress() + "," + listening.getLocalPort() + ","
                + secret;
    }

    /**
     * Waits for the agent; whoever does not know the secret is sent away.
     *
     * @throws SocketTimeoutException if it does not come in time
     */
    public Agent accept(int millis) throws IOException {
        long end = System.nanoTime() + millis * 1_000_000L;
        while (true) {
            int left = (int) ((end - System.nanoTime()) / 1_000_000L);
            if (left <= 0) {
                throw new SocketTimeoutException("the JVM did not connect");
            }
            listening.setSoTimeout(left);
            Socket socket = listening.accept();
            String hello = half(secret, 0);
            Agent agent = new Agent(socket, half(secret, 1));
            try {
                socket.setSoTimeout(Math.min(left, CONNECT_MILLIS));
                byte[] told = agent.in.readNBytes(hello.length());
                if (hello.equals(new String(told, StandardCharsets.US_ASCII))) {
                    agent.version = read(agent.in);
                    return agent;
                }
            } catch (IOException stranger) {
                // Whoever it was, it was not the agent, or has gone.
            }
            agent.close();
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }

    /** What the agent does with a request. */
    @FunctionalInterface
    public interface Handler {
        /** Must not throw. */
        Answer answer(Request request);
    }

    /**
     * The agent's side: connects, takes one request and answers it. Channels and not sockets, since a service may have replaced what makes sockets.
     *
     * @param address as the command line told it
     * @param version of Lockfence
     */
    public static void serve(String address, String version, Handler handler) throws IOException {
        String[] parts = address.split(",");
        if (parts.length != 4 || !parts[0].equals(Integer.toString(PROTOCOL))) {
            throw new IOException(
                    "not understood; the command line is of another version of Lockfence: use that of " + version);
        }
        InetAddress host = InetAddress.getByName(parts[1]);
        if (!host.isLoopbackAddress()) {
            throw new IOException("the command line listens at " + host + ", which is not this machine");
        }
        try (SocketChannel channel = SocketChannel.open()) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(new InetSocketAddress(host, Integer.parseInt(parts[2])));
            DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
            DataOutputStream out = new DataOutputStream(Channels.newOutputStream(channel));
            out.write(half(parts[3], 0).getBytes(StandardCharsets.US_ASCII));
            write(out, version);
            out.flush();
            Request request = request(channel, in, half(parts[3], 1));
            Answer answer = handler.answer(request);
            write(out, answer.outcome().name());
            out.writeInt(answer.lines().size());
            for (String line : answer.lines()) {
                write(out, line);
            }
            out.flush();
        }
    }

    /** Whoever got the port after the command line had gone does not know its half of the secret; and is not waited for. */
    private static Request request(SocketChannel channel, DataInputStream in, String expected) throws IOException {
        CountDownLatch done = new CountDownLatch(1);
        Thread limit = new Thread(
                null,
                () -> {
                    try {
                        if (!done.await(REQUEST_MILLIS, TimeUnit.MILLISECONDS)) {
                            channel.close();
                        }
                    } catch (InterruptedException | IOException e) {
                        // Nothing is left to limit.
                    }
                },
                "lockfence-attach-limit",
                0,
                false);
        limit.setDaemon(true);
        limit.setContextClassLoader(null);
        limit.start();
        try {
            byte[] told = in.readNBytes(expected.length());
            if (!expected.equals(new String(told, StandardCharsets.US_ASCII))) {
                throw new IOException("who listens there is not the command line that asked");
            }
            String rules = read(in);
            String source = read(in);
            String mode = read(in);
            return new Request(rules, source, mode == null ? null : Mode.valueOf(mode));
        } finally {
            done.countDown();
        }
    }

    private static String half(String secret, int which) {
        int middle = secret.length() / 2;
        return which == 0 ? secret.substring(0, middle) : secret.substring(middle);
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        if (text == null) {
            out.writeInt(-1);
            return;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String read(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0) {
            return null;
        }
        if (length > LONGEST) {
            throw new IOException("a text of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
