/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.bootstrap.LeaseContext;

/**
 * What the service has acquired.
 *
 * @param lock its name, a full path
 * @param node full path of the node; no two holds have the same, since Curator puts a random number into each name
 * @param context of the thread that the lease goes on; null for none
 * @param ownsThread whether only that thread can release it
 */
record Hold(String lock, String node, LeaseContext context, boolean ownsThread) {}
