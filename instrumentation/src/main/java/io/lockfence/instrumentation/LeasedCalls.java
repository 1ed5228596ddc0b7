/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is known of the calls of an HTTP client that were made under leases, by an object of the client's that lives as long as the call, or by the
 * thread that makes it. By identity, and weak in that object. Thread safe.
 *
 * @param <C> must not hold the object
 */
public final class LeasedCalls<C> {
    private final Map<Object, C> calls = new ConcurrentHashMap<>();
    private final ReferenceQueue<Object> ended = new ReferenceQueue<>();

    /** Whether there is none. Takes no lock and allocates nothing: what is asked first where requests are written. */
    public boolean isEmpty() {
        return calls.isEmpty();
    }

    /** What is known of the call; null if it was made under nothing that could matter. */
    public C get(Object call) {
        return calls.isEmpty() ? null : calls.get(new Sought(call));
    }

    /** Notes a call, in place of what was known of it. */
    public void put(Object call, C known) {
        forgetEnded();
        calls.put(new Key(call, ended), known);
    }

    /** The call has ended. */
    public void remove(Object call) {
        if (!calls.isEmpty()) {
            calls.remove(new Sought(call));
            forgetEnded();
        }
    }

    private void forgetEnded() {
        for (Reference<?> gone = ended.poll(); gone != null; gone = ended.poll()) {
            calls.remove(gone);
        }
    }

    private static final class Key extends WeakReference<Object> {
        private final int hash;

        Key(Object call, ReferenceQueue<Object> ended) {
            super(call, ended);
            hash = System.identityHashCode(call);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return other == this || other instanceof Key key && get() != null && key.refersTo(get());
        }
    }

    private static final class Sought {
        private final Object call;

        Sought(Object call) {
            this.call = call;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(call);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.refersTo(call);
        }
    }
}
