/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence;

import io.lockfence.agent.config.LockRule;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.config.Unleased;
import io.lockfence.agent.report.Redact;
import java.sql.Driver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The protected databases that this JVM has opened so far. Thread safe. */
final class Databases {
    private static final int MOST_LEFT_ALONE = 1_000;

    private volatile Rules rules;
    private final List<Dialect> dialects;
    private final Map<String, Database> byUrl = new ConcurrentHashMap<>();

    /** Databases that this JVM has opened and that no rule protects, without credentials and parameters. */
    private final Set<String> leftAlone = ConcurrentHashMap.newKeySet();

    Databases(Rules rules, List<Dialect> dialects) {
        this.rules = rules;
        this.dialects = dialects;
    }

    /** The database behind a connection that the service has opened; null if no rule protects it. */
    Database opened(Driver driver, String url, Properties info) {
        Database database = database(url, info);
        if (database != null) {
            database.opened(driver, url, info);
        }
        return database;
    }

    /** The same of a connection that the service opened before the agent was there. */
    Database adopted(Driver driver, String url, Properties info) {
        Database database = database(url, info);
        if (database != null) {
            database.adopted(driver, url, info);
        }
        return database;
    }

    private Database database(String url, Properties info) {
        TargetRule target = rules.target(url).orElse(null);
        Dialect dialect = dialect(url);
        if (target == null && dialect != null && leftAlone.size() < MOST_LEFT_ALONE) {
            leftAlone.add(Redact.url(url));
        }
        if (target == null || dialect == null) {
            return null;
        }
        return byUrl.computeIfAbsent(
                dialect.databaseOf(url, info), key -> new Database(target, Redact.url(url), dialect));
    }

    /** Why other rules cannot be applied to the connections that are open; empty if they can. */
    List<String> hindrances(Rules next) {
        List<String> hindrances = new ArrayList<>();
        for (Database database : byUrl.values()) {
            TargetRule target = next.target(database.shownUrl()).orElse(null);
            if (target == null) {
                hindrances.add("no target matches " + database.shownUrl() + " any more, which this JVM has open as '"
                        + database.name() + "'");
            } else if (!target.name().equals(database.name()) && locksNameTargets()) {
                hindrances.add("target '" + target.name() + "' takes the place of '" + database.name() + "' for "
                        + database.shownUrl() + ", and leases that live may name that in their 'protects'");
            } else if (target.unleased() != Unleased.ALLOW && database.target().unleased() == Unleased.ALLOW) {
                hindrances.add("'unleased' of target '" + target.name()
                        + "' is no longer 'allow': connections that are open are not looked at for it");
            }
        }
        for (String url : leftAlone) {
            next.target(url)
                    .ifPresent(target -> hindrances.add("target '" + target.name() + "' matches " + url
                            + ", which this JVM has opened and which was left alone so far"));
        }
        return hindrances;
    }

    private boolean locksNameTargets() {
        return rules.locks().stream()
                .anyMatch(rule -> rule.mode().compareTo(Mode.SHADOW) >= 0
                        && !rule.protects().isEmpty());
    }

    /** Whether claims may be made at the database of a URL; at any, if it is null. */
    boolean mayBeClaimed(String url) {
        return rules.locks().stream().anyMatch(rule -> rule.mode().compareTo(Mode.SHADOW) >= 0)
                && (url == null || rules.target(url).isPresent());
    }

    /** Other rules from now on; there are no {@link #hindrances}. */
    void change(Rules next) {
        rules = next;
        for (Database database : byUrl.values()) {
            next.target(database.shownUrl()).ifPresent(database::target);
        }
    }

    /** The databases of a target that this JVM has opened, now or before. */
    List<Database> named(String target) {
        return byUrl.values().stream()
                .filter(database -> database.name().equals(target))
                .toList();
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
