/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A proxy that understands PostgreSQL's wire protocol, version 3: it counts what passes, and holds a given statement back.
 *
 * @see <a href="https://www.postgresql.org/docs/18/protocol-message-formats.html">Message formats</a>
 */
public final class PostgresProxy extends TcpProxy {
    private static final int PROTOCOL_3 = 3 << 16;
    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;

    private final Object lock = new Object();
    private final Map<Object, Map<String, String>> prepared = new HashMap<>();
    private final List<String> statements = new ArrayList<>();
    private Pattern held;
    private boolean holding;
    private long messages;
    private long flushes;
    private long ready;
    /** One-byte answers that are due, to requests for SSL or GSS, by connection. */
    private final Map<Object, Integer> bytesDue = new HashMap<>();

    public PostgresProxy(int target) {
        super(target);
    }

    /**
     * The next message that would run a statement in which the expression is found is held back, with all that follows it on its
     * connection, until {@link #release}. Other connections go on.
     */
    public void hold(String regex) {
        synchronized (lock) {
            held = Pattern.compile(regex, Pattern.CASE_INSENSITIVE);
            holding = false;
        }
    }

    /** Waits until a message is held back. */
    public void awaitHeld(Duration limit) throws InterruptedException {
        Waits.until("a statement is held back; sent: " + statements(), limit, () -> {
            synchronized (lock) {
                return holding;
            }
        });
    }

    /** What is held back passes. */
    public void release() {
        synchronized (lock) {
            held = null;
            lock.notifyAll();
        }
    }

    /** The statements that clients had run since the last {@link #reset}, in order. */
    public List<String> statements() {
        synchronized (lock) {
            return List.copyOf(statements);
        }
    }

    /** Messages that clients sent since the last {@link #reset}. */
    public long messages() {
        synchronized (lock) {
            return messages;
        }
    }

    /**
     * How often a client wrote something and then waited, since the last {@link #reset}: round trips. Exact for writes that fit into one
     * segment, as the driver sends what it has buffered at once.
     */
    public long flushes() {
        synchronized (lock) {
            return flushes;
        }
    }

    /** ReadyForQuery messages of the server since the last {@link #reset}. */
    public long readyForQuery() {
        synchronized (lock) {
            return ready;
        }
    }

    public void reset() {
        synchronized (lock) {
            statements.clear();
            messages = 0;
            flushes = 0;
            ready = 0;
        }
    }

    @Override
    protected void toServer(Object connection, InputStream in, OutputStream out)
            throws IOException, InterruptedException {
        DataInputStream frames = new DataInputStream(in);
        try {
            boolean started = false;
            while (!started) {
                int length = frames.readInt();
                byte[] frame = new byte[length];
                ByteBuffer.wrap(frame).putInt(length);
                frames.readFully(frame, 4, length - 4);
                int code = ByteBuffer.wrap(frame).getInt(4);
                started = code == PROTOCOL_3;
                if (code == SSL_REQUEST || code == GSS_REQUEST) {
                    synchronized (lock) {
                        bytesDue.merge(connection, 1, Integer::sum);
                    }
                }
                pass(out, frame, length);
            }
            while (true) {
                byte type = frames.readByte();
                int length = frames.readInt();
                byte[] frame = new byte[length + 1];
                ByteBuffer.wrap(frame).put(type).putInt(length);
                frames.readFully(frame, 5, length - 4);
                meet(connection, (char) type, frame, in.available() == 0);
                pass(out, frame, frame.length);
            }
        } catch (EOFException e) {
            // The client has gone.
        }
    }

    private void meet(Object connection, char type, byte[] frame, boolean last) throws InterruptedException {
        synchronized (lock) {
            messages++;
            if (last) {
                flushes++;
            }
            String sql = statement(connection, type, frame);
            if (sql == null) {
                return;
            }
            statements.add(sql);
            if (held != null && held.matcher(sql).find()) {
                Pattern mine = held;
                holding = true;
                while (held == mine) {
                    lock.wait();
                }
            }
        }
    }

    /** The text that this message runs; null if it runs none. */
    private String statement(Object connection, char type, byte[] frame) {
        Map<String, String> names = prepared.computeIfAbsent(connection, c -> new HashMap<>());
        return switch (type) {
            case 'Q' -> text(frame, 5);
            case 'P' -> {
                String name = text(frame, 5);
                names.put(name, text(frame, 5 + name.getBytes(StandardCharsets.UTF_8).length + 1));
                yield null;
            }
            case 'B' -> {
                String portal = text(frame, 5);
                yield names.get(text(frame, 5 + portal.getBytes(StandardCharsets.UTF_8).length + 1));
            }
            default -> null;
        };
    }

    private boolean byteDue(Object connection) {
        synchronized (lock) {
            int due = bytesDue.getOrDefault(connection, 0);
            if (due > 0) {
                bytesDue.put(connection, due - 1);
            }
            return due > 0;
        }
    }

    private static String text(byte[] frame, int from) {
        int end = from;
        while (frame[end] != 0) {
            end++;
        }
        return new String(frame, from, end - from, StandardCharsets.UTF_8);
    }

    @Override
    protected void toClient(Object connection, InputStream in, OutputStream out)
            throws IOException, InterruptedException {
        DataInputStream frames = new DataInputStream(in);
        try {
            while (true) {
                byte type = frames.readByte();
                if (byteDue(connection)) {
                    pass(out, new byte[] {type}, 1);
                    continue;
                }
                int length = frames.readInt();
                byte[] frame = new byte[length + 1];
                ByteBuffer.wrap(frame).put(type).putInt(length);
                frames.readFully(frame, 5, length - 4);
                if (type == 'Z') {
                    synchronized (lock) {
                        ready++;
                    }
                }
                pass(out, frame, frame.length);
            }
        } catch (EOFException e) {
            // The server has gone.
        }
    }
}
