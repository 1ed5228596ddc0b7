/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Locks of Apache Curator. A hold is a node of ZooKeeper's that belongs to the client's session: its token is the node's czxid, and its coordinator is asked
 * for the node, again and again, since neither the client nor Curator says in time that a hold is gone.
 */
package io.lockfence.instrumentation.curator;
