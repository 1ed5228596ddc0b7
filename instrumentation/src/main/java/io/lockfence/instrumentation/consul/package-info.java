/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Locks of Consul's, by kiwiproject's consul-client 1.2.0 to 1.12.1 and Ecwid's consul-api 1.4.0 to 1.4.5. A hold is a key of the KV store whose {@code Session} is the one it
 * was acquired with: its token is the key's {@code ModifyIndex}, read consistently after the acquisition and kept, since whoever writes the key's value moves it.
 */
package io.lockfence.instrumentation.consul;
