/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

/**
 * A write of the service's that acquires a key or releases it.
 *
 * @param key without a slash in front
 * @param acquires the session that shall have it; null if it is no acquisition
 * @param releases the session that shall have it no more; null if it is no release
 */
record Put(Connection connection, String key, String acquires, String releases, Connection.Access access) {
    /** As Consul has it, whichever way the client writes it. */
    static String plain(String key) {
        return key.startsWith("/") ? key.substring(1) : key;
    }
}
