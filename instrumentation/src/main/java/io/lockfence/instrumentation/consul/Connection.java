/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

/** The way to Consul that a client of the service's has, with its address, its credentials and whatever it puts in between. Equal for the same client object. */
interface Connection {
    /**
     * Reads a key from the leader of the servers, after that has made sure that it leads ({@code ?consistent}). Takes as long as the client's own requests do.
     *
     * @throws Throwable whatever the client throws
     */
    Sight look(String key, Access access) throws Throwable;

    /**
     * What a request of the service's says of where and by whose rights.
     *
     * @param token of an access control list; null for the client's own
     * @param datacenter null for the agent's own
     */
    record Access(String token, String datacenter) {}
}
