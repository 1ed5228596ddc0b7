/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.EffectTable.Effect;
import io.lockfence.agent.cli.scan.LockTable.LockMethod;
import java.util.List;
import java.util.Set;

/** What a method does that matters, in the order of its code. Locks are named by the place in the code that took them. */
sealed interface Event {
    int line();

    /**
     * A lock is taken.
     *
     * @param place index of the instruction
     * @param call as people write it
     * @param library name of the lock library; null where the JDK's interface is called, and only the object's origin tells
     * @param method null as {@code library} is, and for a method of the service that takes the lock
     * @param identity what makes two calls concern the same lock
     * @param name the lock's name, or the object that was made with it
     * @param arguments without the receiver
     * @param attempt whether the result says if the lock is held
     * @param ignored whether nobody looks at that result
     * @param inTransaction whether a transaction that was begun in this method is open, and something was sent in it
     * @param wrapper whether the taking is done by a method of the service that is called here
     */
    record Taken(
            int place,
            int line,
            String call,
            String library,
            LockMethod method,
            Value identity,
            Value name,
            List<Value> arguments,
            boolean attempt,
            boolean ignored,
            boolean inTransaction,
            boolean wrapper)
            implements Event {}

    /**
     * A lock is given back.
     *
     * @param places what took it in this method; empty if it was taken elsewhere
     * @param wrapper whether the release is done by a method of the service that is called here
     */
    record Released(
            int place, int line, String call, String library, Value identity, Set<Integer> places, boolean wrapper)
            implements Event {}

    /**
     * A transaction is committed.
     *
     * @param released places of releases since something was sent in it
     */
    record Committed(int line, String call, Set<Integer> released) implements Event {}

    /**
     * Something is read or written outside the process.
     *
     * @param held places that took the locks that are held for sure
     */
    record Effected(int line, String call, Effect effect, Access access, String detail, Set<Integer> held)
            implements Event {}

    /** How a method of the service is reached. */
    enum Reach {
        CALL,
        /** Handed to another thread. */
        TASK,
        /** Handed to something that runs it in a transaction. */
        TRANSACTION
    }

    /**
     * A method of the service is called, or a lambda is made of it.
     *
     * @param self whether on the same object: no proxy stands between
     * @param within place of the call that runs it under a lock; -1 if none does
     */
    record Called(
            int line,
            String owner,
            String name,
            String descriptor,
            Reach reach,
            boolean self,
            Set<Integer> held,
            int within)
            implements Event {}

    /**
     * A key that may be a lock's is deleted, or gets more time, and this method has not taken it.
     *
     * @param identity the key
     * @param script whether a script does it, the first of the arguments
     */
    record Touched(int line, String call, String library, Value identity, List<Value> arguments, boolean script)
            implements Event {}

    /** The thread waits for some time. */
    record Paused(int line) implements Event {}

    /** Something may take this long. */
    record Waited(int line, String call, long millis, String title, Set<Integer> held) implements Event {}
}
