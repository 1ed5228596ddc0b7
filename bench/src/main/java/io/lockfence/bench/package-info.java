/* SPDX-License-Identifier: Apache-2.0 */
/** What Lockfence costs, against the bounds of the design. */
package io.lockfence.bench;
