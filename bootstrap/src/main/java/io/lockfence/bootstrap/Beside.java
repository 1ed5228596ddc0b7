/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * State of ours beside live objects of the service: by identity, and for as long as they live. Bounded by them. Thread safe.
 *
 * <p>A look-up takes no lock and allocates nothing, also on a thread that makes its first. {@code weak-lock-free}, which this takes the
 * place of, makes a key for each look-up (24 bytes) or keeps one in a thread-local (160 bytes for each fresh thread, measured), and each of
 * the look-ups of a statement took twice as long.
 *
 * @param <K> the service's objects; a value must not refer to its key but weakly
 * @param <V> our state
 */
public final class Beside<K, V> {
    /** Where a key's entry was, so that an entry whose key is gone is found again. */
    private static final class Entry<V> extends WeakReference<Object> {
        final int hash;
        final V value;
        volatile Entry<V> next;

        Entry(Object key, int hash, V value, ReferenceQueue<Object> gone) {
            super(key, gone);
            this.hash = hash;
            this.value = value;
        }
    }

    private static final VarHandle CHAIN = MethodHandles.arrayElementVarHandle(Entry[].class);

    private final ReferenceQueue<Object> gone = new ReferenceQueue<>();
    /** Chains by hash; a power of two. Read without a lock, changed under this object's monitor. */
    private volatile Entry<V>[] table = table(64);

    private volatile int size;

    /** The state beside an object; null if there is none. */
    public V get(K key) {
        Entry<V> entry = entry(key);
        return entry == null ? null : entry.value;
    }

    /** Puts state beside an object, in place of what was there. */
    public synchronized void put(K key, V value) {
        for (Reference<?> entry = gone.poll(); entry != null; entry = gone.poll()) {
            unlink(entry);
        }
        if (size >= table.length) {
            grow();
        }
        Entry<V> before = entry(key);
        link(table, key, System.identityHashCode(key), value);
        size++;
        if (before != null) {
            unlink(before);
        }
    }

    /** Takes away the state beside an object. */
    public synchronized void remove(K key) {
        Entry<V> entry = entry(key);
        if (entry != null) {
            unlink(entry);
        }
    }

    /** Whether there is state beside no object. Reads one field. */
    public boolean isEmpty() {
        return size == 0;
    }

    private Entry<V> entry(Object key) {
        Entry<V>[] chains = table;
        Entry<V> entry = first(chains, System.identityHashCode(key) & (chains.length - 1));
        while (entry != null && !entry.refersTo(key)) {
            entry = entry.next;
        }
        return entry;
    }

    @SuppressWarnings("unchecked")
    private static <V> Entry<V>[] table(int length) {
        return (Entry<V>[]) new Entry<?>[length];
    }

    @SuppressWarnings("unchecked")
    private static <V> Entry<V> first(Entry<V>[] chains, int chain) {
        return (Entry<V>) CHAIN.getAcquire(chains, chain);
    }

    private void link(Entry<V>[] chains, Object key, int hash, V value) {
        Entry<V> entry = new Entry<>(key, hash, value, gone);
        int chain = hash & (chains.length - 1);
        entry.next = first(chains, chain);
        CHAIN.setRelease(chains, chain, entry);
    }

    /** Keeps the successor in the entry that is taken out, so that a reader that stands on it gets to the end of the chain. */
    private synchronized void unlink(Reference<?> taken) {
        Entry<V>[] chains = table;
        int chain = ((Entry<?>) taken).hash & (chains.length - 1);
        Entry<V> previous = null;
        for (Entry<V> entry = first(chains, chain); entry != null; entry = entry.next) {
            if (entry == taken) {
                if (previous == null) {
                    CHAIN.setRelease(chains, chain, entry.next);
                } else {
                    previous.next = entry.next;
                }
                size--;
                return;
            }
            previous = entry;
        }
    }

    /** Copies what lives into a table of twice the size; readers of the old one see it as it was. */
    private synchronized void grow() {
        Entry<V>[] old = table;
        Entry<V>[] larger = table(old.length * 2);
        int living = 0;
        for (int chain = 0; chain < old.length; chain++) {
            for (Entry<V> entry = first(old, chain); entry != null; entry = entry.next) {
                Object key = entry.get();
                if (key != null) {
                    link(larger, key, entry.hash, entry.value);
                    living++;
                }
            }
        }
        table = larger;
        size = living;
    }
}
