/* SPDX-License-Identifier: Apache-2.0 */
package org.postgresql.core;

/** Of the stub driver. */
public enum TransactionState {
    IDLE,
    OPEN,
    FAILED
}
