/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.time.Duration;
import java.util.Objects;

/**
 * Locks of a library, by their names.
 *
 * @param library its name, such as {@code redisson}
 * @param key which of its locks
 * @param resource how their resources are named
 * @param scope whose work their leases cover
 * @param verifyEvery how old an answer of the coordinator's may be that a write relies on, where it grants the lock for no time that is known
 */
public record LibraryLocks(
        String library, KeyPattern key, ResourceTemplate resource, LeaseScope scope, Duration verifyEvery)
        implements LockOrigin {
    public LibraryLocks {
        Objects.requireNonNull(library);
        Objects.requireNonNull(key);
        Objects.requireNonNull(resource);
        Objects.requireNonNull(scope);
        Objects.requireNonNull(verifyEvery);
    }

    @Override
    public boolean matches(String lockName) {
        return key.matches(lockName);
    }

    @Override
    public String resource(String lockName) {
        return resource.resource(lockName);
    }
}
