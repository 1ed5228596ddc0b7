/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

/**
 * The first seam: what integrations of lock libraries tell the agent. Implemented by the agent; thread safe; never throws.
 *
 * <p>Owners are the strings of {@link Acquisition#owner()}. Events for an owner that has no lease are ignored.
 */
public interface LeaseEvents {
    /** Whether a rule names this lock. Cheap after the first call for a name. */
    boolean watches(String library, String lock);

    /**
     * Whether the coordinator may be asked for a token of this lock. Not in observe mode, where nothing of ours leaves the JVM: then the
     * integration sends nothing and reports {@link Acquisition#proof()} with token 0, from the send time and the lease time of the
     * service's own request and its own count of holds.
     */
    boolean asks(String library, String lock);

    /**
     * Whether {@link #acquired} may block for this lock, because its rule says {@code claim: acquire}. Where the thread that would
     * call it must not block (an event loop), the integration then calls it on another one. Cheap after the first call for a name.
     */
    boolean claimsAtAcquire(String library, String lock);

    /** Whether the rule that names this lock says {@code scope: process}: its leases cover the work of every thread. */
    default boolean coversProcess(String library, String lock) {
        return false;
    }

    /**
     * An acquire call succeeded. Begins a lease, or keeps the one that the owner has: {@link Proof#holdCount()} above 1 is a
     * re-entry. A fresh hold of an owner that was believed to hold already means that the earlier lease was lost.
     * The lease is on its thread when this returns. May block for the claims where the rule says {@code claim: acquire}.
     *
     * @return the lease; null if no rule names the lock
     */
    Lease acquired(Acquisition acquisition);

    /** The coordinator confirmed a renewal that was sent at {@code sentAt} for {@code grantedNanos}. */
    void renewed(String owner, long sentAt, long grantedNanos);

    /**
     * The coordinator said that the hold is there, and it may be believed in for {@code believedNanos} from {@code sentAt} on, when the question was sent: nobody has renewed
     * anything.
     */
    default void confirmed(String owner, long sentAt, long believedNanos) {}

    /** A request sent at {@code sentAt} set the time left to {@code grantedNanos}, which may be less than before. */
    void shortened(String owner, long sentAt, long grantedNanos);

    /** The coordinator said that the owner holds nothing. */
    void lost(String owner, String why);

    /**
     * The service asked whether the owner holds the lock, and was told that it does not: the lease is lost if we believed otherwise, and the service
     * may skip its unlock ({@code if (lock.isHeldByCurrentThread()) lock.unlock()}).
     */
    void told(String owner);

    /**
     * The service has taken the same lock anew, on the same thread, as another owner: whatever it may skip the unlock of need not stay on the thread. Of an
     * owner whose lease lives, nothing happens.
     */
    default void followed(String owner) {}

    /**
     * An unlock is about to be sent. Call at its entry, on the calling thread: the guard at release runs here if this was the last
     * hold and the thread has an open transaction under the lease; it takes a second at most.
     *
     * @return whether this unlock ends the lease; false as well if the owner has none
     */
    boolean releasing(String owner);

    /**
     * A lock that a rule names is held since before Lockfence watched it: nothing can be said of what was done under it so far, so that nothing is refused
     * under it until its last unlock. May be called any number of times for one hold.
     *
     * @param owner who holds it, as {@link Acquisition#owner()}
     */
    default void unknown(String library, String lock, String owner) {}

    /**
     * A lock that a rule names was taken through a type whose holds Lockfence does not fence. Reported once for each type and name;
     * may be called any number of times.
     *
     * @param type the library's own class name, such as {@code RedissonSpinLock}
     */
    void unsupported(String library, String type, String lock);

    /**
     * An integration noticed at run time that it sees less of the library than it should, and went down its fail-safe ladder.
     * Reported once for each library and reason; may be called any number of times.
     *
     * @param why in words for the service's operator
     */
    void degraded(String library, String why);

    /**
     * Whether work that is given to an executor runs under the leases of the thread that gives it.
     *
     * @param executor its class; null if that is not known
     * @param factory the class of what makes its threads; null if it has none, or if that is not known
     * @param task the class of the work
     */
    default boolean inherits(Class<?> executor, Class<?> factory, Class<?> task) {
        return true;
    }

    /** A unit of work ended and left these leases on its thread; they are set aside by {@code place}, a name for reports. */
    void leftOver(Lease[] leases, String place);

    /** The thread's task ended; its leases stay unless they were short-lived by their own lease time (DESIGN, units of work). */
    void taskEnded(LeaseContext context);
}
