/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * One entry of {@code locks}.
 *
 * @param name for reports; unique
 * @param mode its own, else that of the rules; {@link Mode#OFF} whenever that of the rules is
 * @param origin which locks, and how their resources are named
 * @param generation raised when the coordinator was replaced or restored from a backup; 0 or more
 * @param protects names of targets; empty for all
 * @param claim when its leases claim
 * @param guardAtRelease whether an unlock inside an open transaction runs the guard before the release is sent
 * @param ends what ends a lease that is never unlocked
 */
public record LockRule(
        String name,
        Mode mode,
        LockOrigin origin,
        int generation,
        Set<String> protects,
        ClaimAt claim,
        boolean guardAtRelease,
        Ends ends) {
    public LockRule {
        Objects.requireNonNull(name);
        Objects.requireNonNull(mode);
        Objects.requireNonNull(origin);
        Objects.requireNonNull(claim);
        Objects.requireNonNull(ends);
        protects = Collections.unmodifiableSet(new LinkedHashSet<>(protects));
    }

    /**
     * The rule of a library's locks where nothing more is said: every name, all targets. Resources are named as the locks of the first library, and elsewhere as the lock
     * behind the library's name: numbers of two libraries must not meet in one fence.
     */
    public static LockRule everyLockOf(String library, Mode mode) {
        boolean first = library.equals(Rules.LIBRARIES.get(0));
        KeyPattern every = KeyPattern.parse(first ? "*" : "{lock}");
        ResourceTemplate resource =
                first ? ResourceTemplate.lockName(every) : ResourceTemplate.parse(library + ":{lock}", every);
        return new LockRule(
                library,
                mode,
                new LibraryLocks(library, every, resource, LeaseScope.THREAD, Rules.VERIFY_EVERY),
                0,
                Set.of(),
                ClaimAt.FIRST_ACCESS,
                true,
                Ends.DEADLINE);
    }

    /** The same rule in another mode. */
    LockRule inMode(Mode other) {
        return new LockRule(name, other, origin, generation, protects, claim, guardAtRelease, ends);
    }

    /** As the integration names itself that reports these locks. */
    public String library() {
        return origin.library();
    }

    /** How old an answer of the coordinator's may be that a write relies on, where it grants the lock for no time that is known. */
    public Duration verifyEvery() {
        return origin instanceof LibraryLocks library ? library.verifyEvery() : Rules.VERIFY_EVERY;
    }

    /** The name of the lock's resource; empty if it is none of these locks. */
    public Optional<String> resourceOf(String lockName) {
        return Optional.ofNullable(origin.resource(lockName));
    }

    /** Whether the lock fences this target. */
    public boolean protects(TargetRule target) {
        return protects.isEmpty() || protects.contains(target.name());
    }
}
