/* SPDX-License-Identifier: Apache-2.0 */
/**
 * HikariCP, 5 to 7, in a JVM that was running before Lockfence came: its connections live for half an hour, and nobody but the pool knows the password that
 * Lockfence's own connections need.
 */
package io.lockfence.instrumentation.hikaricp;
