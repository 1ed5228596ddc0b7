/* SPDX-License-Identifier: Apache-2.0 */
/** The agent gets into a service, stays out of its sight, and says what it saw. */
package io.lockfence.it.startup;
