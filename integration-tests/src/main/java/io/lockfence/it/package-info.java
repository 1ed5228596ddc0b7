/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Unmodified services in JVMs of their own, real servers, injected faults.
 *
 * <p>{@link io.lockfence.it.Postgres} and {@link io.lockfence.it.Redis} are real servers on free loopback ports,
 * {@link io.lockfence.it.ServiceProcess} a service that can be stopped in mid-step, {@link io.lockfence.it.TcpProxy} and
 * {@link io.lockfence.it.PostgresProxy} the network between them. A {@link io.lockfence.it.Scenario} plays one story twice, without and
 * with the agent.
 */
package io.lockfence.it;
