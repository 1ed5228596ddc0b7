/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.javahttp;

import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Handles;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.locks.Lock;

/**
 * The streams that an HTTP/2 connection of the JDK's client ({@code Http2Connection}) has reserved. It takes one back where a stream that was opened ends; for one that never
 * is, it has no way: {@code MAX_CONCURRENT_STREAMS} of them use the connection up.
 */
final class Streams {
    private static final ClassValue<Streams> OF = new ClassValue<>() {
        @Override
        protected Streams computeValue(Class<?> connection) {
            return new Streams(connection);
        }
    };

    private final MethodHandle reserved;
    private final MethodHandle setReserved;
    /** What the count is kept under; null for the connection's monitor, as before JDK 21. */
    private final MethodHandle lock;

    private Streams(Class<?> connection) {
        reserved = Handles.getter(connection, "numReservedClientStreams");
        setReserved = Handles.setter(connection, "numReservedClientStreams");
        lock = Handles.declares(connection, "stateLock") ? Handles.getter(connection, "stateLock") : null;
    }

    /** The stream of a request that was refused is not opened. */
    static void giveBack(Object connection) {
        try {
            OF.get(connection.getClass()).oneLess(connection);
        } catch (Throwable t) {
            // The request is refused all the same.
            Seams.fault(t);
        }
    }

    private void oneLess(Object connection) throws Throwable {
        if (lock == null) {
            synchronized (connection) {
                count(connection);
            }
            return;
        }
        Lock held = (Lock) lock.invoke(connection);
        held.lock();
        try {
            count(connection);
        } finally {
            held.unlock();
        }
    }

    private void count(Object connection) throws Throwable {
        int now = (int) reserved.invoke(connection);
        if (now > 0) {
            Object unused = setReserved.invoke(connection, (Object) (now - 1));
        }
    }
}
