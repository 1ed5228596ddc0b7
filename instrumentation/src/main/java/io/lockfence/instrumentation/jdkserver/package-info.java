/* SPDX-License-Identifier: Apache-2.0 */
/** Requests that come into the JDK's own server, {@code com.sun.net.httpserver}: each is a unit of work, under the leases of its caller. */
package io.lockfence.instrumentation.jdkserver;
