/* SPDX-License-Identifier: Apache-2.0 */
package org.postgresql.core;

/** Of the stub driver: as much of pgjdbc's type as Lockfence calls. */
public interface QueryExecutor {
    TransactionState getTransactionState();

    boolean isClosed();

    int getBackendPID();
}
