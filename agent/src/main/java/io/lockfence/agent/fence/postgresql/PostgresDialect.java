/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import io.lockfence.agent.fence.Dialect;
import io.lockfence.agent.fence.FenceSql;
import io.lockfence.agent.fence.StatementKind;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;

/** PostgreSQL as its JDBC driver (pgjdbc 42.x) names and opens it. */
public final class PostgresDialect implements Dialect {
    private static final String PREFIX = "jdbc:postgresql:";

    /** What the service set for its own reads, time-outs and statement caching, in lower case; a claim needs none of it. */
    private static final Set<String> DROPPED = Set.of(
            "readonly",
            "readonlymode",
            "targetservertype",
            "loadbalancehosts",
            "sockettimeout",
            "connecttimeout",
            "logintimeout",
            "currentschema",
            "applicationname",
            "autosave",
            "cleanupsavepoints",
            "preferquerymode",
            "preparethreshold",
            "defaultrowfetchsize",
            "adaptivefetch",
            "rewritebatchedinserts",
            "querytimeout",
            "assumeminserverversion",
            "logunclosedconnections",
            "maxresultbuffer");

    private final FenceSql sql = new PostgresFence();

    @Override
    public String driver() {
        return "postgresql";
    }

    @Override
    public boolean speaks(String url) {
        return url.startsWith(PREFIX);
    }

    @Override
    public String databaseOf(String url, Properties info) {
        int query = url.indexOf('?');
        String database = query < 0 ? url : url.substring(0, query);
        // The driver fills what the URL leaves out from these.
        StringBuilder key = new StringBuilder(database);
        for (String name : new String[] {"PGHOST", "PGPORT", "PGDBNAME", "service"}) {
            String value = query < 0 ? null : parameter(url, query, name);
            value = value == null ? info.getProperty(name) : value;
            key.append('|').append(value == null ? "" : value);
        }
        if (database.length() == PREFIX.length() || database.endsWith("/")) {
            key.append('|').append(info.getProperty("user", ""));
        }
        return key.toString();
    }

    private static String parameter(String url, int query, String name) {
        int start = url.indexOf(name + "=", query);
        if (start < 0) {
            return null;
        }
        int end = url.indexOf('&', start);
        return url.substring(start + name.length() + 1, end < 0 ? url.length() : end);
    }

    /** Parameters of the URL win over properties, so that what is dropped must be dropped here. */
    @Override
    public String claimUrl(String url) {
        int query = url.indexOf('?');
        String base = query < 0 ? url : url.substring(0, query);
        StringBuilder claim = new StringBuilder(base).append("?ApplicationName=lockfence");
        // A claim is made in tries of a second; a network that answers nothing must not keep one longer than a few.
        claim.append("&connectTimeout=5&socketTimeout=5&loginTimeout=5");
        if (base.indexOf(',') >= 0) {
            // Of several hosts the primary takes claims; a lone standby must be reached, to say that it is one.
            claim.append("&targetServerType=preferPrimary");
        }
        if (query >= 0) {
            for (String parameter : url.substring(query + 1).split("&")) {
                int equals = parameter.indexOf('=');
                String name = equals < 0 ? parameter : parameter.substring(0, equals);
                if (!parameter.isEmpty() && !DROPPED.contains(name.toLowerCase(Locale.ROOT))) {
                    claim.append('&').append(parameter);
                }
            }
        }
        return claim.toString();
    }

    @Override
    public Properties claimInfo(Properties info) {
        Properties claim = new Properties();
        for (String name : info.stringPropertyNames()) {
            if (!DROPPED.contains(name.toLowerCase(Locale.ROOT))) {
                claim.setProperty(name, info.getProperty(name));
            }
        }
        return claim;
    }

    @Override
    public StatementKind kindOf(String text) {
        return StatementScan.kind(text);
    }

    @Override
    public List<String> cursorsOf(String text) {
        return CursorScan.cursorsOf(text);
    }

    @Override
    public FenceSql sql() {
        return sql;
    }
}
