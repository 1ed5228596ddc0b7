/* SPDX-License-Identifier: Apache-2.0 */
/** Premain and isolation: how the agent gets into the JVM and stays out of the service's sight. */
package io.lockfence.agent;
