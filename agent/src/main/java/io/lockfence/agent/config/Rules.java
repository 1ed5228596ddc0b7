/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a rules file says, complete and free of contradictions. Immutable.
 *
 * @param mode of everything that has none of its own; {@link Mode#OFF} turns all off
 * @param strict whether a broken file stops the JVM
 * @param claimTimeout how long a claim waits; never longer than its lease has left
 * @param guardIdle bound on a transaction's idle time while it holds a fence
 * @param locks in the order of the file; the first that matches a lock is its rule
 * @param targets in the order of the file; the first that matches a URL is its target
 * @param receive in the order of the file; the first that matches a request is its rule
 * @param propagation to executors
 * @param source where this comes from, for people: the file's path, or that there is none
 */
public record Rules(
        Mode mode,
        boolean strict,
        Duration claimTimeout,
        Duration guardIdle,
        List<LockRule> locks,
        List<TargetRule> targets,
        List<ReceiveRule> receive,
        Propagation propagation,
        String source) {
    /** The libraries whose locks this version fences, as rules name them. */
    public static final List<String> LIBRARIES = List.of("redisson", "curator", "etcd", "consul");

    /** Those that have leaders too, whose leases cover the whole process. */
    static final List<String> LEADERSHIP_LIBRARIES = List.of("curator", "etcd", "consul");

    /** Those whose coordinator may grant a lock for no time at all, so that it is asked before writes. */
    static final List<String> VERIFYING_LIBRARIES = List.of("consul");

    /** {@code verifyEvery} where a lock says nothing. */
    public static final Duration VERIFY_EVERY = Duration.ofSeconds(1);

    /** {@link #claimTimeout} where the file says nothing. */
    public static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(10);

    /** {@link #guardIdle} where the file says nothing. */
    public static final Duration GUARD_IDLE = Duration.ofSeconds(60);

    public Rules {
        Objects.requireNonNull(mode);
        Objects.requireNonNull(claimTimeout);
        Objects.requireNonNull(guardIdle);
        Objects.requireNonNull(source);
        locks = List.copyOf(locks);
        targets = List.copyOf(targets);
        receive = List.copyOf(receive);
        Objects.requireNonNull(propagation);
    }

    /** What runs without a file: every lock of every known library is observed, nothing leaves the JVM. */
    public static Rules observeEverything() {
        return new Rules(
                Mode.OBSERVE,
                false,
                CLAIM_TIMEOUT,
                GUARD_IDLE,
                everyLock(Mode.OBSERVE),
                List.of(TargetRule.everyDatabase()),
                List.of(),
                Propagation.EVERYWHERE,
                "no rules file");
    }

    /**
     * The same rules in another mode: locks whose mode is that of these rules follow it, and no lock has a stronger one.
     *
     * @param other not null
     */
    public Rules inMode(Mode other) {
        List<LockRule> others = new ArrayList<>();
        for (LockRule rule : locks) {
            others.add(rule.mode() == mode || rule.mode().compareTo(other) > 0 ? rule.inMode(other) : rule);
        }
        List<ReceiveRule> received = new ArrayList<>();
        for (ReceiveRule rule : receive) {
            received.add(rule.mode() == mode || rule.mode().compareTo(other) > 0 ? rule.inMode(other) : rule);
        }
        return new Rules(other, strict, claimTimeout, guardIdle, others, targets, received, propagation, source);
    }

    static List<LockRule> everyLock(Mode mode) {
        List<LockRule> every = new ArrayList<>();
        for (String library : LIBRARIES) {
            every.add(LockRule.everyLockOf(library, mode));
        }
        return every;
    }

    /**
     * The rule of a lock: the first in the file that matches; empty if none does.
     *
     * @param library as rules name it
     * @param lockName as the service sees it
     */
    public Optional<LockRule> lockRule(String library, String lockName) {
        for (LockRule rule : locks) {
            if (rule.library().equals(library) && rule.origin().matches(lockName)) {
                return Optional.of(rule);
            }
        }
        return Optional.empty();
    }

    /**
     * The rule of a request that has come in: the first in the file that matches; empty if none does.
     *
     * @param method in capitals
     * @param path decoded, without the query
     */
    public Optional<ReceiveRule> receiveRule(String method, String path) {
        for (ReceiveRule rule : receive) {
            if (rule.matches(method, path)) {
                return Optional.of(rule);
            }
        }
        return Optional.empty();
    }

    /**
     * The target of a request that is about to be sent: the first in the file that matches; empty if none does.
     *
     * @param url {@code scheme://host[:port]/path}; never shown
     */
    public Optional<TargetRule> httpTarget(String url) {
        HttpUrl parsed = null;
        for (TargetRule target : targets) {
            if (target.destination() instanceof HttpDestination services) {
                parsed = parsed == null ? HttpUrl.of(url) : parsed;
                if (parsed == null) {
                    return Optional.empty();
                }
                if (services.pattern().matches(parsed)) {
                    return Optional.of(target);
                }
            }
        }
        return Optional.empty();
    }

    /**
     * The target of a connection: the first in the file that matches; empty if none does.
     *
     * @param jdbcUrl as the driver was given it; never shown
     */
    public Optional<TargetRule> target(String jdbcUrl) {
        for (TargetRule target : targets) {
            if (target.matches(jdbcUrl)) {
                return Optional.of(target);
            }
        }
        return Optional.empty();
    }
}
