/* SPDX-License-Identifier: Apache-2.0 */
/** Requests that come into Undertow 2, its handlers and its servlets: each is a unit of work, under the leases of its caller. */
package io.lockfence.instrumentation.undertow;
