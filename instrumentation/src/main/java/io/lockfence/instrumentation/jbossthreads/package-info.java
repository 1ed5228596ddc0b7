/* SPDX-License-Identifier: Apache-2.0 */
/** Units of work in JBoss Threads, which runs the requests of Undertow. */
package io.lockfence.instrumentation.jbossthreads;
