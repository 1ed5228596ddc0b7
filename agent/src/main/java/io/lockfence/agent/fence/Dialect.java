/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import java.util.List;
import java.util.Properties;

/** One kind of database: how its URLs and its statements are read, and its fence. Stateless, any thread. */
public interface Dialect {
    /** The name of the integration that weaves its driver. */
    String driver();

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

    /** The cursors that a text fetches from, moves, or writes at ({@code WHERE CURRENT OF}), lower case. */
    List<String> cursorsOf(String sql);

    /** The fence's SQL. */
    FenceSql sql();
}
