/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The network between a service and a server, on a free loopback port: it can be cut, so that what is sent neither arrives nor fails, or
 * slowed down. Thread safe.
 */
public class TcpProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Object gate = new Object();
    private boolean cut;
    private volatile long delayMillis;

    public TcpProxy(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    public final int port() {
        return listener.getLocalPort();
    }

    /** From now on nothing passes in either direction, and nothing is refused: packets are dropped without a reset. */
    public final void cut() {
        synchronized (gate) {
            cut = true;
        }
    }

    /** What was held back passes, and all that follows. */
    public final void heal() {
        synchronized (gate) {
            cut = false;
            gate.notifyAll();
        }
    }

    /** Each piece that passes, in either direction, takes so much longer. */
    public final void delay(Duration delay) {
        delayMillis = delay.toMillis();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                sockets.add(client);
                daemon(() -> connect(client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void connect(Socket client) {
        try {
            awaitOpen();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(server);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            Object connection = new Object();
            daemon(() -> pump(connection, client, server, true));
            daemon(() -> pump(connection, server, client, false));
        } catch (IOException | InterruptedException e) {
            close(client);
        }
    }

    private void pump(Object connection, Socket from, Socket to, boolean toServer) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            if (toServer) {
                toServer(connection, in, out);
            } else {
                toClient(connection, in, out);
            }
        } catch (IOException | InterruptedException e) {
            // One side has gone: so does the other.
        } finally {
            close(from);
            close(to);
        }
    }

    /** Carries what a client sends until its end. */
    protected void toServer(Object connection, InputStream in, OutputStream out)
            throws IOException, InterruptedException {
        copy(in, out);
    }

    /** Carries what the server answers until its end. */
    protected void toClient(Object connection, InputStream in, OutputStream out)
            throws IOException, InterruptedException {
        copy(in, out);
    }

    private void copy(InputStream in, OutputStream out) throws IOException, InterruptedException {
        byte[] buffer = new byte[16 * 1024];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            pass(out, buffer, n);
        }
    }

    /** Sends bytes on, as the state of the network lets it. */
    protected final void pass(OutputStream out, byte[] bytes, int length) throws IOException, InterruptedException {
        long delay = delayMillis;
        if (delay > 0) {
            Thread.sleep(delay);
        }
        awaitOpen();
        out.write(bytes, 0, length);
        out.flush();
    }

    private void awaitOpen() throws InterruptedException {
        synchronized (gate) {
            while (cut) {
                gate.wait();
            }
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone either way.
        }
    }

    @Override
    public void close() {
        heal();
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sockets.forEach(this::close);
    }
}
