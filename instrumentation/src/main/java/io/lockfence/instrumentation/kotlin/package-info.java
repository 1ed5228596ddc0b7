/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kotlin's coroutines: the leases of whoever starts a coroutine are an element of its context, and are on whatever thread it runs on, as long as it runs
 * there.
 */
package io.lockfence.instrumentation.kotlin;
