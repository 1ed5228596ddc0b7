/* SPDX-License-Identifier: Apache-2.0 */
/** What the command line and the agent of a running JVM say to one another. */
package io.lockfence.agent.attach;
