/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.LockRule;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.report.Redact;
import java.sql.Driver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/** The protected databases that this JVM has opened so far. Thread safe. */
final class Databases {
    private final Rules rules;
    private final List<Dialect> dialects;
    private final Map<String, Database> byUrl = new ConcurrentHashMap<>();

    Databases(Rules rules, List<Dialect> dialects) {
        this.rules = rules;
        this.dialects = dialects;
    }

    /** The database behind a connection that the service has opened; null if no rule protects it. */
    Database opened(Driver driver, String url, Properties info) {
        TargetRule target = rules.target(url).orElse(null);
        Dialect dialect = dialect(url);
        if (target == null || dialect == null) {
            return null;
        }
        Database database = byUrl.computeIfAbsent(
                dialect.databaseOf(url, info), key -> new Database(target, Redact.url(url), dialect));
        database.opened(driver, url, info);
        return database;
    }

    /** Whether a library of this name is the driver of a kind of database that we know. */
    boolean isDriver(String library) {
        return dialects.stream().anyMatch(dialect -> dialect.driver().equals(library));
    }

    private Dialect dialect(String url) {
        for (Dialect dialect : dialects) {
            if (dialect.speaks(url)) {
                return dialect;
            }
        }
        return null;
    }

    /** Every database that the lock protects and this JVM has open, with this one first. */
    List<Database> protectedBy(LockRule rule, Database first) {
        List<Database> all = new ArrayList<>();
        if (first != null) {
            all.add(first);
        }
        for (Database database : byUrl.values()) {
            if (database != first && database.tracked() > 0 && rule.protects(database.target())) {
                all.add(database);
            }
        }
        return all;
    }

    int trackedConnections() {
        return byUrl.values().stream().mapToInt(Database::tracked).sum();
    }
}
