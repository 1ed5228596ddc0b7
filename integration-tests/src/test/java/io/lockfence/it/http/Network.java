/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import io.lockfence.it.TcpProxy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The network between a caller and one server, in which a request can be held. Connections are made at once, held or not. Thread safe. */
final class Network extends TcpProxy {
    /** Less is a frame of HTTP/2 that says something of the connection; the shortest request with a body is longer. */
    private static final int REQUEST = 20;

    private final Object gate = new Object();
    private boolean holds;
    private int held;

    Network(int target) {
        super(target);
    }

    /** What is sent to the server from now on stays in the network; answers pass. */
    void hold() {
        synchronized (gate) {
            holds = true;
        }
    }

    /** Waits until a request is there. */
    void awaitHeld(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        synchronized (gate) {
            while (held <= REQUEST) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw new AssertionError("no request was sent within " + limit.toMillis() + " ms");
                }
                gate.wait(left);
            }
        }
    }

    /** What was held passes, and all that follows. */
    void release() {
        synchronized (gate) {
            holds = false;
            gate.notifyAll();
        }
    }

    @Override
    protected void toServer(Object connection, InputStream in, OutputStream out)
            throws IOException, InterruptedException {
        byte[] buffer = new byte[16 * 1024];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            synchronized (gate) {
                if (holds) {
                    held += n;
                    gate.notifyAll();
                }
                while (holds) {
                    gate.wait();
                }
            }
            pass(out, buffer, n);
        }
    }

    @Override
    public void close() {
        release();
        super.close();
    }
}
