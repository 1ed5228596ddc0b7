/* SPDX-License-Identifier: Apache-2.0 */
/** Units of work in Jetty's thread pool, 9.4 to 12. */
package io.lockfence.instrumentation.jetty;
