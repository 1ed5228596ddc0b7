/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a service may use on purpose: the leases that its work is under, handing them to work that Lockfence does not see going from thread to thread, and
 * telling a refusal from other failures. Without the agent there are no leases, and everything runs as it would.
 *
 * <p>Beside it only {@link io.lockfence.bootstrap.FencedException} and {@link io.lockfence.bootstrap.Refusal} are meant for services.
 */
package io.lockfence.api;
