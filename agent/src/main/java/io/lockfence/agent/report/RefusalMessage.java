/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import io.lockfence.bootstrap.Refusal;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * The one place where refusals are put in words: what happened, the resource with our token and the age of our lease, the
 * fence's token with who claimed it when, and what to do.
 */
final class RefusalMessage {
    private static final String REDO = "Take the lock again and redo the work from its first read";

    private RefusalMessage() {}

    static String of(Refused refused) {
        StringBuilder text = new StringBuilder(512);
        text.append("Lockfence ").append(refused.shadow() ? "would have refused" : "refused");
        text.append(" this ").append(refused.effect());
        if (refused.target() != null) {
            text.append(" to ").append(refused.target());
        }
        text.append(" (").append(refused.kind().sqlState()).append(", ").append(name(refused.kind()));
        text.append("): ");
        if (refused.repeated()) {
            text.append(
                            "its transaction was refused before and has been rolled back; until the service calls rollback(), close()")
                    .append(" or setAutoCommit(true) the connection takes nothing else. The first refusal: ");
        }
        text.append(happened(refused)).append(". ");
        if (refused.resource() != null) {
            ours(refused, text);
        }
        if (refused.fence() != null) {
            theirs(refused, text);
        }
        if (!refused.shadow()) {
            text.append("It was not applied. ");
        }
        return text.append(todo(refused)).append('.').toString();
    }

    /** The kind in the words of the documentation, such as {@code duplicate token}. */
    static String name(Refusal kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static void ours(Refused refused, StringBuilder text) {
        text.append("Resource ").append(quoted(refused.resource()));
        if (!refused.resource().equals(refused.lock())) {
            text.append(" of lock ").append(quoted(refused.lock()));
        }
        text.append(refused.lease().ofCaller() ? ": the caller's " : ": our ");
        if (refused.token() == 0) {
            text.append("lease has no token");
        } else {
            text.append("token is ").append(refused.token());
            if (refused.lease().generation() != 0 || generationsDiffer(refused)) {
                text.append(" of generation ").append(refused.lease().generation());
            }
        }
        text.append(" (lease ").append(shortId(refused.lease().leaseId())).append(", ");
        text.append(Words.time(refused.ageNanos())).append(" old)");
        text.append(refused.fence() == null ? ". " : "; ");
    }

    private static void theirs(Refused refused, StringBuilder text) {
        Claimant fence = refused.fence();
        text.append("the fence holds token ").append(fence.token());
        if (fence.generation() != 0 || generationsDiffer(refused)) {
            text.append(" of generation ").append(fence.generation());
        }
        text.append(" (lease ").append(shortId(fence.leaseId())).append("), claimed");
        if (fence.holder() != null) {
            text.append(" by ").append(Words.clean(fence.holder(), 200));
        }
        if (fence.claimedAt() != null) {
            text.append(" at ").append(fence.claimedAt().truncatedTo(ChronoUnit.MILLIS));
        }
        if (fence.age() != null) {
            text.append(", ").append(Words.time(fence.age().toNanos())).append(" ago");
        }
        text.append(". ");
    }

    private static boolean generationsDiffer(Refused refused) {
        return refused.fence() != null
                && refused.fence().generation() != refused.lease().generation();
    }

    private static String happened(Refused refused) {
        String detail = refused.detail();
        return switch (refused.reason()) {
            case SUPERSEDED -> "a newer holder of the lock has claimed the resource";
            case AHEAD ->
                "the resource was claimed with a higher token than ours before our first access, and the coordinator did not"
                        + " confirm that the lock is still ours" + colon(detail);
            case AHEAD_LATER ->
                "this database, opened after the lease was first used, holds a higher token than ours: a newer holder has"
                        + " claimed it, or the coordinator has lost its counter (restart, failover, flush)";
            case CALLER_BEHIND ->
                "the fence here holds a higher token than the caller's: a newer holder has claimed it, or the coordinator has lost its"
                        + " counter (restart, failover, flush)";
            case LEAP -> "the caller's token is too far ahead of what is known here, and may be forged" + colon(detail);
            case OLD_GENERATION -> "an instance whose rules have a higher generation has claimed the resource";
            case DEADLINE ->
                "the lease has ended"
                        + (refused.overdueNanos() > 0
                                ? ", " + Words.time(refused.overdueNanos()) + " ago"
                                : ", its deadline has passed");
            case LOST -> "the coordinator said that the lock is no longer ours" + colon(detail);
            case IDLE_KILLED ->
                "the lock was released in mid-transaction, and the database has ended that transaction after it was idle for"
                        + " longer than guardIdle" + colon(detail);
            case NO_LEASE -> "it was sent under no lock, and the rules demand one (unleased: reject)" + colon(detail);
            case RELEASED ->
                "the lock that protects it was given back before, in the same work, and the rules demand that the work ends with it"
                        + " (afterRelease: reject)" + colon(detail);
            case NO_FENCE -> "the database has no fence table, or not the routines of this version" + colon(detail);
            case NO_RIGHTS -> "the service's database user may not use the fence" + colon(detail);
            case DATABASE_FAILED -> "the database could not say whether the lease still holds" + colon(detail);
            case STANDBY -> "the database is a standby, where nothing can be claimed" + colon(detail);
            case CLAIM_WAITED ->
                "the claim waited too long for a transaction of an earlier holder to end" + colon(detail);
            case NO_TOKEN -> "the coordinator gave no fencing token for this lease" + colon(detail);
            case NOT_VERIFIED ->
                "the lock was granted for no time of its own, and the coordinator could not be asked whether it is still held"
                        + colon(detail);
            case INACTIVE -> "locks of this kind cannot be fenced here" + colon(detail);
            case NOT_WOVEN ->
                "a method of this target is not woven, so that calls of it pass whether the lease lives or not"
                        + colon(detail);
            case BOOKS -> "Lockfence has lost track of this lease" + colon(detail);
            case TOKEN_TWICE -> "the coordinator issued the same token to two leases";
            case OTHER_LOCK ->
                "the resource belongs to another lock"
                        + (refused.fence() == null
                                ? colon(detail)
                                : ", " + quoted(refused.fence().lock()) + ", not to " + quoted(refused.lock()));
            case CLAIM_LOST ->
                "the database holds less than this lease has claimed: it has lost the claim (failover, restore)"
                        + colon(detail);
            case OLD_SNAPSHOT ->
                "the transaction reads a snapshot from before the lock was claimed, so what it read may be stale"
                        + colon(detail);
            case OWN_TRANSACTION ->
                "it would wait for another open transaction of the same thread, for ever" + colon(detail);
            case PATH -> detail == null ? "no guard can follow this way of writing" : detail;
        };
    }

    private static String todo(Refused refused) {
        return switch (refused.reason()) {
            case SUPERSEDED, AHEAD, LOST, CALLER_BEHIND -> REDO;
            case LEAP ->
                "If the number is right, raise 'leap' of the rule under 'receive'; if not, find out who sends it";
            case AHEAD_LATER -> REDO + ": a new lease takes a token above the fence";
            case OLD_GENERATION -> "Start this instance with the rules that have the raised generation";
            case DEADLINE ->
                REDO
                        + ". If the work needs longer than the lease, ask for a longer lease time, or for none so that the library"
                        + " renews it";
            case IDLE_KILLED -> "Commit before the unlock, or sooner after it; guardIdle in the rules is the limit";
            case NO_LEASE ->
                "Write under a lock that protects this target, or change 'unleased' of the target in the rules";
            case RELEASED -> "Do it before the unlock, or change 'afterRelease' of the target in the rules";
            case NO_FENCE ->
                "Install the fence: run the SQL that 'java -jar lockfence.jar ddl --database postgresql' prints";
            case NO_RIGHTS ->
                "Grant the user USAGE on schema lockfence and EXECUTE on its routines, as the last lines of"
                        + " 'java -jar lockfence.jar ddl --database postgresql' show";
            case DATABASE_FAILED ->
                "See to the database; then take the lock again and redo the work from its first read";
            case STANDBY -> "Connect to the primary";
            case CLAIM_WAITED ->
                "Find the transaction that stays open after its lock was released (pg_stat_activity: state 'idle in"
                        + " transaction'), or raise claimTimeout in the rules";
            case NO_TOKEN -> "See to the coordinator; then take the lock again";
            case NOT_VERIFIED ->
                "See to the coordinator, and to the way there; then redo the work from its first read, under the lock";
            case INACTIVE ->
                "Use a supported version or type of lock, or set 'mode: observe' for this lock in the rules";
            case NOT_WOVEN -> "Mend 'method' of the target in the rules: 'check --jar' shows what it matches";
            case BOOKS -> "Take the lock again, and report this with the log: it is a fault of Lockfence";
            case TOKEN_TWICE ->
                "Find out why the coordinator's counter went back (restore, two masters); if it goes on, raise 'generation' in the"
                        + " lock's rule. " + REDO;
            case OTHER_LOCK -> "Give the two locks different resources in the rules";
            case CLAIM_LOST -> "Writes that this lease has committed may be lost as well: check them. " + REDO;
            case OLD_SNAPSHOT -> "Take the lock before the transaction's first statement, or use READ COMMITTED";
            case OWN_TRANSACTION ->
                "Do not write under one lock in two transactions at once (REQUIRES_NEW): commit the first, or join it";
            case PATH -> "Use a way that the documentation lists, or keep it outside the lock";
        };
    }

    private static String colon(String detail) {
        return detail == null ? "" : ": " + Words.clean(detail, 500);
    }

    private static String quoted(String name) {
        return name == null ? "none" : "'" + Words.clean(name, 200) + "'";
    }

    private static String shortId(String leaseId) {
        return leaseId == null || leaseId.length() <= 8 ? String.valueOf(leaseId) : leaseId.substring(0, 8);
    }
}
