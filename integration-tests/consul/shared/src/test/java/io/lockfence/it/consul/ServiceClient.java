/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.consul;

/** One of the clients of Consul, as a service calls it. */
interface ServiceClient extends AutoCloseable {
    /**
     * A session whose locks are free at once when it ends.
     *
     * @param ttl as Go writes durations; null for none
     */
    String createSession(String ttl);

    /** Throws if there is no such session. */
    void renewSession(String session);

    void destroySession(String session);

    boolean acquire(String key, String session, String value);

    /** The same, by the method for bytes. */
    boolean acquire(String key, String session, byte[] value);

    boolean release(String key, String session);

    /** By whoever does not care who holds the key. */
    void put(String key, String value);

    void delete(String key);

    void deleteAll(String prefix);

    @Override
    void close();
}
