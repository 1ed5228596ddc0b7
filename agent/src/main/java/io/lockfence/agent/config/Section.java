/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.YamlNode.Entry;
import io.lockfence.agent.config.YamlNode.Items;
import io.lockfence.agent.config.YamlNode.Table;
import io.lockfence.agent.config.YamlNode.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * One table of the file and the keys that it may have. Whatever is asked of it and is wrong goes to the problems, and the answer
 * is the default, so that reading goes on.
 */
final class Section {
    static final int LONGEST_NAME = 100;
    static final int MOST_TEXTS = 100;

    private final Table table;
    private final String label;
    private final String where;
    private final Problems problems;
    private final Map<String, YamlNode> values = new LinkedHashMap<>();
    /** Keys that seem to be meant by misspelt ones: they are not missing as well. */
    private final Set<String> meant = new HashSet<>();

    /**
     * @param label as messages name the table, such as {@code lock 'orders'}; empty for the whole file
     * @param known the keys that it may have
     */
    Section(Table table, String label, List<String> known, Problems problems) {
        this.table = table;
        this.label = label;
        this.where = label.isEmpty() ? "" : " in " + label;
        this.problems = problems;
        for (Entry entry : table.entries()) {
            if (problems.full()) {
                return;
            }
            if (!(entry.key() instanceof Text key)) {
                problems.add(entry.key(), "a key that is no text" + where, oneOf(known));
            } else if (!known.contains(key.value())) {
                String nearest = Nearest.to(key.value(), known);
                meant.add(nearest);
                problems.add(key, "unknown key '" + Problem.shown(key.value()) + "'" + where, oneOf(known), nearest);
            } else if (values.containsKey(key.value())) {
                problems.add(
                        key,
                        "key '" + key.value() + "' stands twice" + where + ", first at line "
                                + values.get(key.value()).line(),
                        "remove one");
            } else {
                values.put(key.value(), entry.value());
            }
        }
    }

    static String oneOf(List<String> words) {
        return words.size() == 1 ? "expected '" + words.get(0) + "'" : "expected one of " + String.join(", ", words);
    }

    /** As messages name it: {@code lock 'orders'}. */
    String label() {
        return label;
    }

    /** Where in the file this is, to follow the word that names the part: {@code  in lock 'orders'}, or empty. */
    String where() {
        return where;
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    /** Whether a key is there, or seems to be meant by a misspelt one. */
    boolean means(String key) {
        return has(key) || meant.contains(key);
    }

    /** Where the value of a key stands; the table itself if the key is not there. */
    YamlNode at(String key) {
        return values.getOrDefault(key, table);
    }

    /** Text that must be there; null if it is wrong or missing. */
    String required(String key, String expected) {
        if (!has(key)) {
            if (!meant.contains(key)) {
                problems.add(table, "missing key '" + key + "'" + where, expected);
            }
            return null;
        }
        return text(key, expected);
    }

    /** Text; null if it is wrong or missing. */
    String text(String key, String expected) {
        return has(key) ? text(values.get(key), "'" + key + "'", expected) : null;
    }

    /** Text of one line that is not too long for people to read; null if it is wrong or missing. */
    String name(String key) {
        String name = required(key, "expected a name for reports");
        if (name == null) {
            return null;
        }
        boolean readable = !name.isBlank()
                && name.equals(name.strip())
                && name.length() <= LONGEST_NAME
                && name.equals(Problem.line(name));
        if (!readable) {
            problems.add(
                    at(key),
                    "the name '" + Problem.shown(name) + "'" + where + " cannot be read in reports",
                    "expected 1 to " + LONGEST_NAME + " characters in one line, no blanks around them");
            return null;
        }
        return name;
    }

    /** What is meant as text; null if it is something else. */
    private String text(YamlNode node, String what, String expected) {
        if (!(node instanceof Text text)) {
            String quote = node instanceof Table ? ": text that starts with '{' must stand in quotes" : "";
            problems.add(node, what + where + " must be text, not " + kind(node) + quote, expected);
            return null;
        }
        if (text.absent()) {
            problems.add(node, what + where + " has no value", expected);
            return null;
        }
        if (text.plain() && Surprise.is(text.value())) {
            problems.add(
                    node,
                    what + where + " is " + Problem.shown(text.value()) + " without quotes: YAML may read "
                            + Surprise.meaning(text.value()),
                    "put it in quotes",
                    "\"" + Problem.shown(text.value()) + "\"");
            return null;
        }
        return text.value();
    }

    static String kind(YamlNode node) {
        if (node instanceof Text text) {
            return text.absent() ? "nothing" : "'" + Problem.shown(text.value()) + "'";
        }
        return node instanceof Items ? "a list" : "a table of keys";
    }

    /** One of the words of an enum. */
    <E extends Enum<E>> E word(String key, Class<E> type, E otherwise) {
        if (!has(key)) {
            return otherwise;
        }
        List<String> words = Words.all(type);
        YamlNode node = values.get(key);
        String given = node instanceof Text text ? text.value() : "";
        int index = words.indexOf(given);
        if (index >= 0) {
            return type.getEnumConstants()[index];
        }
        problems.add(node, given(key, node), oneOf(words), nearestWord(given, words));
        return otherwise;
    }

    /** {@code off} is a truth value in YAML 1.1, and other tools may have made one of it. */
    private static String nearestWord(String given, List<String> words) {
        boolean isOff = given.equals("false") && words.contains("off");
        return isOff ? "off" : given.isEmpty() ? "" : Nearest.to(given, words);
    }

    private String given(String key, YamlNode node) {
        boolean absent = node instanceof Text text && text.absent();
        return "'" + key + "'" + where + (absent ? " has no value" : " is " + kind(node));
    }

    boolean flag(String key, boolean otherwise) {
        if (!has(key)) {
            return otherwise;
        }
        YamlNode node = values.get(key);
        if (node instanceof Text text
                && text.plain()
                && (text.value().equals("true") || text.value().equals("false"))) {
            return text.value().equals("true");
        }
        String meant = node instanceof Text text ? meantFlag(text.value()) : "";
        problems.add(node, given(key, node), "expected true or false, without quotes", meant);
        return otherwise;
    }

    private static String meantFlag(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on", "y", "1" -> "true";
            case "false", "no", "off", "n", "0" -> "false";
            default -> Nearest.to(value, List.of("true", "false"));
        };
    }

    /** A whole number from 0 to the largest int. */
    int count(String key, int otherwise) {
        if (!has(key)) {
            return otherwise;
        }
        YamlNode node = values.get(key);
        if (node instanceof Text text && text.plain()) {
            try {
                int number = Integer.parseInt(text.value());
                if (number >= 0 && text.value().equals(Integer.toString(number))) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // said below
            }
        }
        problems.add(
                node, given(key, node), "expected a whole number from 0 to " + Integer.MAX_VALUE + ", without quotes");
        return otherwise;
    }

    /** A whole number from 1 to the largest long. */
    long number(String key, long otherwise) {
        if (!has(key)) {
            return otherwise;
        }
        YamlNode node = values.get(key);
        if (node instanceof Text text && text.plain()) {
            try {
                long number = Long.parseLong(text.value());
                if (number >= 1 && text.value().equals(Long.toString(number))) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // said below
            }
        }
        problems.add(
                node, given(key, node), "expected a whole number from 1 to " + Long.MAX_VALUE + ", without quotes");
        return otherwise;
    }

    Duration duration(String key, Duration least, Duration most, Duration otherwise) {
        if (!has(key)) {
            return otherwise;
        }
        YamlNode node = values.get(key);
        String range = "expected a duration from " + Durations.text(least) + " to " + Durations.text(most);
        if (!(node instanceof Text text)) {
            problems.add(node, given(key, node), range + " such as 500ms, 10s, 1m or PT10S");
            return otherwise;
        }
        Duration duration = Durations.parse(text.value());
        if (duration == null) {
            boolean bare = Surprise.isDigits(text.value());
            problems.add(
                    node,
                    given(key, node) + (bare ? ", a number without a unit" : ""),
                    range + " such as 500ms, 10s, 1m or PT10S",
                    bare ? text.value() + "s" : "");
            return otherwise;
        }
        if (duration.compareTo(least) < 0 || duration.compareTo(most) > 0) {
            problems.add(node, given(key, node) + ", out of range", range);
            return otherwise;
        }
        return duration;
    }

    /** The items of a list; null if it is wrong or missing. */
    private List<YamlNode> items(String key, int most, String example, String whenEmpty) {
        if (!has(key)) {
            return null;
        }
        YamlNode node = values.get(key);
        if (!(node instanceof Items items)) {
            boolean absent = node instanceof Text text && text.absent();
            String what = absent ? given(key, node) : "'" + key + "'" + where + " must be a list, not " + kind(node);
            problems.add(node, what, example);
            return null;
        }
        if (items.items().isEmpty()) {
            problems.add(node, "'" + key + "'" + where + " is an empty list", whenEmpty);
            return null;
        }
        if (items.items().size() > most) {
            problems.add(node, "'" + key + "'" + where + " has more than " + most + " entries", "use patterns");
            return null;
        }
        return items.items();
    }

    /** The table of a key; null if it is wrong or missing. */
    Section section(String key, List<String> known) {
        if (!has(key)) {
            return null;
        }
        YamlNode node = values.get(key);
        if (node instanceof Table inner) {
            return new Section(inner, key, known, problems);
        }
        boolean absent = node instanceof Text text && text.absent();
        problems.add(
                node,
                absent ? given(key, node) : "'" + key + "'" + where + " must be a table of keys, not " + kind(node),
                oneOf(known));
        return null;
    }

    /** The tables of a list; null if it is wrong or missing. Items that are no tables are left out. */
    List<Section> sections(String key, String kind, List<String> known, int most, String whenEmpty) {
        List<YamlNode> items = items(key, most, "expected entries such as '- name: orders'", whenEmpty);
        if (items == null) {
            return null;
        }
        List<Section> sections = new ArrayList<>();
        int number = 0;
        for (YamlNode item : items) {
            number++;
            if (item instanceof Table entry) {
                String name = nameIn(entry);
                String entryLabel = kind + (name.isBlank() ? " number " + number : " '" + name + "'");
                sections.add(new Section(entry, entryLabel, known, problems));
            } else {
                problems.add(item, "a " + kind + " must be a table of keys, not " + kind(item), oneOf(known));
            }
        }
        return sections;
    }

    private static String nameIn(Table table) {
        for (Entry entry : table.entries()) {
            if (entry.key() instanceof Text key && key.value().equals("name") && entry.value() instanceof Text name) {
                return Problem.shown(name.value());
            }
        }
        return "";
    }

    /** One text, or a list of them; empty if it is wrong or missing. */
    List<Text> textOrTexts(String key, String expected) {
        if (has(key) && !(values.get(key) instanceof Items)) {
            return text(key, expected) == null ? List.of() : List.of((Text) values.get(key));
        }
        return texts(key, expected, expected);
    }

    /** The texts of a list; empty if it is missing. */
    List<Text> texts(String key, String example, String whenEmpty) {
        List<YamlNode> items = items(key, MOST_TEXTS, example, whenEmpty);
        List<Text> texts = new ArrayList<>();
        if (items != null) {
            for (YamlNode item : items) {
                if (text(item, "an entry of '" + key + "'", "expected a name") != null) {
                    texts.add((Text) item);
                }
            }
        }
        return texts;
    }
}
