/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Locks and elections of etcd, by jetcd 0.5.11 to 0.8.7. A hold is a key that belongs to a lease of etcd's: its token is the key's create revision, read after the
 * acquisition with the lease that it belongs to and the time which that has left, since etcd 3.4 says "acquired" also to a waiter whose lease has ended.
 */
package io.lockfence.instrumentation.etcd;
