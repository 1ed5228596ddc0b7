/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.Mode;
import io.lockfence.agent.report.Reason;
import io.lockfence.agent.report.Refused;
import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Proof;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks the coordinator whether a lease still holds, before something is sent under it that changes anything: where the coordinator grants the lock for no time that is known, no
 * deadline tells. As often as the rule of the lock says, and for two seconds at most.
 */
final class Verification {
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(2);

    private Verification() {}

    /** Null if the lease lets it through. What is refused is for the caller to say. */
    static Refused refused(FencedLease lease) {
        Coordinator coordinator = lease.coordinator();
        if (coordinator == null || !coordinator.verifies() || lease.released() || lease.mode() == Mode.OBSERVE) {
            return null;
        }
        long now = System.nanoTime();
        long oldest = now - lease.rule().verifyEvery().toNanos();
        if (lease.verifiedAt() - oldest >= 0) {
            return null;
        }
        try {
            // Whoever else is asking may have begun too long ago.
            while (lease.verifiedAt() - oldest < 0) {
                Proof proof = coordinator
                        .ask()
                        .toCompletableFuture()
                        .get(Math.max(1, now + BOUND_NANOS - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (!proof.held()) {
                    lease.die(Lease.Death.LOST, "its coordinator has no hold of it by this owner any more");
                    break;
                }
                lease.deadline().extend(proof.sentAt(), proof.timeLeftNanos());
                lease.verified(proof.sentAt());
            }
        } catch (TimeoutException e) {
            return unanswered(lease, "no answer within " + TimeUnit.NANOSECONDS.toSeconds(BOUND_NANOS) + " s");
        } catch (ExecutionException e) {
            boolean late = e.getCause() instanceof TimeoutException;
            return unanswered(lease, late ? "it did not answer in time" : String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unanswered(lease, "the thread was interrupted while it waited for the answer");
        }
        return lease.death() == null ? null : lease.refusedDead();
    }

    private static Refused unanswered(FencedLease lease, String why) {
        return lease.death() == null ? Refused.under(Reason.NOT_VERIFIED, lease).because(why) : lease.refusedDead();
    }
}
