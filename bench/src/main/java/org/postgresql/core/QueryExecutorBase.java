/* SPDX-License-Identifier: Apache-2.0 */
package org.postgresql.core;

/** Of the stub driver. */
public abstract class QueryExecutorBase implements QueryExecutor {
    public void close() {}

    public void abort() {}
}
