/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.util.Properties;

/** One kind of database: how its URLs and its statements are read, and its fence. Stateless, any thread. */
public interface Dialect {
    /** Whether a JDBC URL is for this kind of database. */
    boolean speaks(String url);

    /** What is the same for all URLs and properties that lead to one database; holds no credentials. */
    String databaseOf(String url, Properties info);

    /** The URL with which claims connect: without what the service set for its own reads and time-outs. */
    String claimUrl(String url);

    /** The properties with which claims connect: credentials and encryption as the service's, time-outs of our own. */
    Properties claimInfo(Properties info);

    /** What kind of statement a text is. */
    StatementKind kindOf(String sql);

    /** The fence's SQL. */
    FenceSql sql();
}
