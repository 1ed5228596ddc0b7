/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import java.lang.ref.WeakReference;

/** One advisory lock that a session was seen to hold, or was said to. Used under the driver's lock, but for the loss of all with their connection. */
final class AdvisoryHold {
    /** What is known of it. */
    enum State {
        /** The server said so, the last time that it was asked. */
        HELD,
        /** The service was told that it has it, and the server did not confirm it: what it does under it is refused until its unlock. */
        UNPROVEN,
        /** It is gone, and the service has not given it back. */
        LOST
    }

    private final String name;
    private final String owner;
    private final boolean leased;
    private final WeakReference<Thread> taker = new WeakReference<>(Thread.currentThread());
    private volatile State state;
    private volatile boolean ofTransaction;
    private int count = 1;

    AdvisoryHold(String name, String owner, boolean leased, boolean ofTransaction, State state) {
        this.name = name;
        this.owner = owner;
        this.leased = leased;
        this.ofTransaction = ofTransaction;
        this.state = state;
    }

    String name() {
        return name;
    }

    /** As the agent knows it. */
    String owner() {
        return owner;
    }

    /** Whether a rule named it when it was taken. */
    boolean leased() {
        return leased;
    }

    State state() {
        return state;
    }

    void state(State next) {
        state = next;
    }

    /** Whether it ends with the transaction. */
    boolean ofTransaction() {
        return ofTransaction;
    }

    /** It was taken for the session as well, or may have been. */
    void takenForSession() {
        ofTransaction = false;
    }

    boolean ofThisThread() {
        return taker.get() == Thread.currentThread();
    }

    /** How often it was taken, where the server may not be asked: one more or less. */
    int count(int more) {
        count += more;
        return count;
    }
}
