/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.util.Objects;

/**
 * What a lease asks the fence of its resource to become.
 *
 * @param resource any text; the fence table holds it as {@link ResourceName#fit} makes it
 * @param lock the lock's name at its coordinator; held in the same way
 * @param generation of the coordinator, from the rules
 * @param token above 0; null where the claim is to issue one, above every number that the fence has held: the answer's row has it
 * @param leaseId 32 hexadecimal digits; what follows them tells attempts of one lease to have a token issued from each other
 * @param holder host, process and thread, for people to read; cut where it is too long
 */
public record ClaimRequest(String resource, String lock, int generation, Long token, String leaseId, String holder) {
    /** @throws IllegalArgumentException if the token is not above 0: none could be minted, or it has overflown */
    public ClaimRequest {
        Objects.requireNonNull(resource, "resource");
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(leaseId, "leaseId");
        Objects.requireNonNull(holder, "holder");
        if (token != null && token <= 0) {
            throw new IllegalArgumentException("a fencing token is above 0, not " + token + " (lock " + lock + ")");
        }
    }

    /** A request with a token: no number that a coordinator gives, however wrong, is taken for none. */
    public ClaimRequest(String resource, String lock, int generation, long token, String leaseId, String holder) {
        this(resource, lock, generation, Long.valueOf(token), leaseId, holder);
    }

    /** Whether the claim issues the token. */
    public boolean issues() {
        return token == null;
    }
}
