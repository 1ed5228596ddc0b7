/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

/**
 * What is to become of one request that has come in. The integration sends the {@link #answer()} if there is one, and nothing of the service
 * runs; else it runs the service, on whatever threads, with {@link LeaseContext#beginUnit(Lease[])} around each piece.
 */
public abstract class Reception {
    /** What the client gets in place of what the service would answer; null if the service is to run. */
    public abstract Answer answer();

    /** The leases that the service runs under; empty if it is to run under none. */
    public abstract Lease[] leases();

    /** Whether any of the leases is enforced: of two rules that are about one request, such a one decides. */
    public boolean enforced() {
        return true;
    }

    /**
     * The service has answered, or thrown, and the client has not seen anything of it yet.
     *
     * @param status that the client would see; 500 if the service threw
     * @return what the client gets instead, since an access under the request's leases was refused; null to leave it
     */
    public abstract Answer instead(int status);
}
