/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One entry of {@code receive}: requests that may carry the leases of a caller.
 *
 * @param name for reports; unique
 * @param mode its own, else that of the rules; {@link Mode#OFF} whenever that of the rules is
 * @param path of the requests
 * @param methods of the requests, in capitals; empty for all
 * @param require whether a request without a token is refused
 * @param fence the JDBC target where the tokens are claimed before the service runs; null for none
 * @param trust whom the header is believed
 * @param from the networks of {@link Trust#NETWORK}; not empty there
 * @param keys the environment variables that hold the keys of {@link Trust#SIGNED}: one, or two while they change
 * @param leap how far a token may be ahead of what the fence knows
 * @param protects names of targets; empty for all
 */
public record ReceiveRule(
        String name,
        Mode mode,
        PathPattern path,
        Set<String> methods,
        boolean require,
        String fence,
        Trust trust,
        List<Network> from,
        List<String> keys,
        long leap,
        Set<String> protects) {
    /** {@link #leap} where the file says nothing: 11 days of microseconds, 232 elections of ZooKeeper. */
    public static final long LEAP = 1_000_000_000_000L;

    public ReceiveRule {
        Objects.requireNonNull(name);
        Objects.requireNonNull(mode);
        Objects.requireNonNull(path);
        methods = Set.copyOf(methods);
        Objects.requireNonNull(trust);
        from = List.copyOf(from);
        keys = List.copyOf(keys);
        protects = Set.copyOf(protects);
    }

    /** Whether the rule is about a request. */
    public boolean matches(String method, String requestPath) {
        // Services answer HEAD with what handles GET.
        String handled = method.equals("HEAD") ? "GET" : method;
        return (methods.isEmpty() || methods.contains(method) || methods.contains(handled))
                && path.matches(requestPath);
    }

    /** The rule of the leases that come with its requests. */
    public LockRule ofCallers(int generation) {
        return new LockRule(
                name, mode, CallerLocks.INSTANCE, generation, protects, ClaimAt.FIRST_ACCESS, true, Ends.DEADLINE);
    }

    /** The same rule in another mode. */
    ReceiveRule inMode(Mode other) {
        return new ReceiveRule(name, other, path, methods, require, fence, trust, from, keys, leap, protects);
    }
}
