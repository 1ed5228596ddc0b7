/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.YamlNode.Text;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The targets of a file, for the keys that name them. */
final class TargetNames {
    private static final String PROTECTS = "protects";

    private final List<String> all;
    private final List<String> databases;
    private final Problems problems;

    /**
     * @param all of entries with other mistakes too
     * @param databases those of them that are no method and no service
     */
    TargetNames(List<String> all, List<String> databases, Problems problems) {
        this.all = all;
        this.databases = databases;
        this.problems = problems;
    }

    /** The key {@code protects}; empty if it is not there. */
    Set<String> protects(Section section) {
        Set<String> protects = new LinkedHashSet<>();
        String whenEmpty = "leave it out to protect all targets";
        for (Text target : section.texts(PROTECTS, "expected a list such as [orders-db]", whenEmpty)) {
            String what = "'protects'" + section.where() + " names the target '" + Problem.shown(target.value()) + "'";
            if (!all.contains(target.value())) {
                problems.add(target, what + ", which is not there", oneOf(all), Nearest.to(target.value(), all));
            } else if (!protects.add(target.value())) {
                problems.add(target, what + " twice", "remove one");
            }
        }
        return protects;
    }

    /** A key that names one database; null if it is wrong or missing. */
    String database(Section section, String key) {
        String name = section.text(key, "expected the name of a target with 'jdbc'");
        if (name == null || databases.contains(name)) {
            return name;
        }
        problems.add(
                section.at(key),
                "'" + key + "'" + section.where() + " names the target '" + Problem.shown(name) + "', which is "
                        + (all.contains(name) ? "no database" : "not there"),
                databases.isEmpty() ? "expected the name of a target with 'jdbc'" : Section.oneOf(databases),
                Nearest.to(name, databases));
        return null;
    }

    private static String oneOf(List<String> names) {
        return names.isEmpty() ? "expected the name of a target" : Section.oneOf(names);
    }
}
