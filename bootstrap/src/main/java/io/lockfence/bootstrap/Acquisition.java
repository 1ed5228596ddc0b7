/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

/**
 * A successful acquire call, as an integration reports it.
 *
 * @param library the rules' name of the library, such as {@code redisson}
 * @param lock the lock's name as the service sees it
 * @param owner who holds it, unique over locks, clients and owners of this JVM; the same for a re-entry
 * @param context of the thread that the lease goes on, or null for none
 * @param ownsThread whether the owner is that thread (unlock elsewhere is another owner)
 * @param proof what the coordinator said after the acquire call; null if it could not be asked
 * @param failure why there is no proof, in words for the service's operator; null if there is one. With a proof that says that the owner holds nothing: why, or null
 * @param explicitLease whether the service asked for a lease time (nothing renews it)
 * @param coordinator the way back
 */
public record Acquisition(
        String library,
        String lock,
        String owner,
        LeaseContext context,
        boolean ownsThread,
        Proof proof,
        String failure,
        boolean explicitLease,
        Coordinator coordinator) {}
