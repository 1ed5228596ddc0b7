/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Leases from Redisson's {@code RLock} and {@code RFencedLock}, 3.17.7 to 4.7.0.
 *
 * <p>One attempt is one call of {@code tryLockInnerAsync}. Where it has acquired, {@link
 * io.lockfence.instrumentation.redisson.RedisCoordinator} issues the fencing token, conditional on the hold, before the future of the
 * attempt completes: no thread of Redisson's waits for it. The lease itself begins where the public call succeeds: on the caller's
 * thread when a synchronous one returns ({@link io.lockfence.instrumentation.redisson.Acquires}), before the future completes
 * for an asynchronous one, and what is chained to that runs under it ({@link io.lockfence.instrumentation.LeasedFuture}).
 */
package io.lockfence.instrumentation.redisson;
