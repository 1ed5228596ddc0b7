/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Units of work in the JDK's executors: a lease that one task leaves on its thread must not poison the next.
 *
 * <p>These classes are loaded before the agent and woven in place, so the advice is inlined: static methods without state, which call
 * bootstrap classes alone. Queues and tasks stay the service's own: nothing is wrapped, so casts of the queue's elements and
 * {@code remove} work.
 */
package io.lockfence.instrumentation.executors;
