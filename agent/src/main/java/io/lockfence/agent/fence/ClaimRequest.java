/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.util.Objects;

/**
 * What a lease asks the fence of its resource to become.
 *
 * @param resource any text; the fence table holds it as {@link ResourceName#fit} makes it
 * @param lock the lock's name at its coordinator; held in the same way
 * @param generation of the coordinator, from the rules
 * @param token above 0; or {@link #ISSUED}
 * @param leaseId 32 hexadecimal digits
 * @param holder host, process and thread, for people to read; cut where it is too long
 */
public record ClaimRequest(String resource, String lock, int generation, long token, String leaseId, String holder) {
    /** In place of a token: the claim issues one, above every number that the fence has held; the answer's row has it. */
    public static final long ISSUED = Long.MIN_VALUE;

    /** @throws IllegalArgumentException if the token is not above 0: none could be minted, or it has overflown */
    public ClaimRequest {
        Objects.requireNonNull(resource, "resource");
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(leaseId, "leaseId");
        Objects.requireNonNull(holder, "holder");
        if (token <= 0 && token != ISSUED) {
            throw new IllegalArgumentException("a fencing token is above 0, not " + token + " (lock " + lock + ")");
        }
    }

    /** Whether the claim issues the token. */
    public boolean issues() {
        return token == ISSUED;
    }
}
