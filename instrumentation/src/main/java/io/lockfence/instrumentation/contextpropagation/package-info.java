/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Micrometer's context propagation, by which Reactor carries thread-locals through its pipelines: leases are one of them. No class of ours is in the
 * service's loader: the accessor is registered as functions.
 */
package io.lockfence.instrumentation.contextpropagation;
