/* SPDX-License-Identifier: Apache-2.0 */
package org.postgresql.core;

import java.sql.Connection;

/** Of the stub driver: as much of pgjdbc's type as Lockfence calls. */
public interface BaseConnection extends Connection {
    QueryExecutor getQueryExecutor();
}
