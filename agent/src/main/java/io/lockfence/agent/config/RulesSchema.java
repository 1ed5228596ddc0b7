/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The JSON Schema (draft 2020-12) of a rules file, for editors. Keys, words and limits are those of the readers themselves; a key that a reader knows
 * and that is not described here is an error, so that the two cannot drift apart.
 *
 * <p>A schema sees one entry at a time: what entries say of one another (names that stand twice, {@code protects}, patterns that hide others), captures,
 * quotes and ranges of durations are the loader's alone.
 */
public final class RulesSchema {
    /** The first line of a rules file whose editor is to know the schema. */
    public static final String COMMENT = "# yaml-language-server: $schema=./lockfence.schema.json";

    private static final String DURATION =
            "^(?:0*[0-9]{1,9}\\s*(?:ms|s|m|h)\\s*|PT(?=[+0-9])(?:[-+]?[0-9]{1,9}[Hh])?(?:[-+]?[0-9]{1,9}[Mm])?(?:[-+]?[0-9]{1,9}(?:[.,][0-9]{0,9})?[Ss])?)$";
    private static final String CHARACTER = "(?:[^{}*]|\\{\\{|\\}\\})";
    private static final String CAPTURE = "(?:\\{[A-Za-z0-9_]+\\})";

    private static final String PATH = "(?:\\{[^{}]+\\})";
    /** A class, {@code #}, a method, its parameters; what of it is wrong only the loader can tell. */
    private static final String METHOD = "^[^#()\\s]+#[^#()\\s]+\\([^()]*\\)$";

    private RulesSchema() {}

    /** The schema, as a tree of maps, lists, texts, numbers and truth values; a new one each time. */
    public static Map<String, Object> tree() {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", "Rules of Lockfence");
        schema.put(
                "description",
                "Which locks fence which targets, and how strictly. `java -jar lockfence.jar check FILE` finds what a schema cannot see.");
        schema.putAll(table("the file", RulesReader.KEYS, RulesSchema::file));
        return schema;
    }

    private interface Describer {
        /** Null if the key is not known. */
        Map<String, Object> describe(String key);
    }

    private static Map<String, Object> table(String of, List<String> keys, Describer describer) {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (String key : keys) {
            Map<String, Object> described = describer.describe(key);
            if (described == null) {
                throw new IllegalStateException(
                        "the loader reads the key '" + key + "' of " + of
                                + ", and RulesSchema does not describe it: add a case for it, then `java -jar lockfence.jar schema > docs/lockfence.schema.json`");
            }
            properties.put(key, described);
        }
        Map<String, Object> table = new LinkedHashMap<>();
        table.put("type", "object");
        table.put("properties", properties);
        table.put("additionalProperties", false);
        return table;
    }

    private static Map<String, Object> file(String key) {
        return switch (key) {
            case "mode" -> mode("How far Lockfence goes, for everything that has no mode of its own.", Mode.OBSERVE);
            case "strict" ->
                flag(
                        "Whether a file with mistakes stops the JVM. Else the service starts and nothing is fenced.",
                        false);
            case "claimTimeout" ->
                duration("How long a claim waits for another holder's transaction, 100ms to 10m.", Rules.CLAIM_TIMEOUT);
            case "guardIdle" ->
                duration("How long a transaction may idle once it holds a fence, 1s to 24h.", Rules.GUARD_IDLE);
            case "locks" ->
                list(
                        "Which locks. The first entry that matches a lock is its rule. Default: every lock of every known library.",
                        lock(),
                        LocksReader.MOST);
            case "targets" ->
                list(
                        "What is protected. The first entry that matches is the target. Default: every JDBC database, as target 'jdbc'.",
                        target(),
                        TargetsReader.MOST);
            default -> null;
        };
    }

    private static Map<String, Object> lock() {
        Map<String, Object> lock = table("a lock", LocksReader.KEYS, RulesSchema::lock);
        lock.put("required", List.of("name"));
        lock.put(
                "allOf",
                List.of(
                        byLibraryOrByMethods(),
                        never(
                                "Nothing is claimed in these modes.",
                                Map.of("enum", List.of(Words.of(Mode.OFF), Words.of(Mode.OBSERVE))),
                                "mode",
                                Map.of("const", Words.of(ClaimAt.ACQUIRE)),
                                "claim"),
                        never(
                                "With '*' in the key, different locks would share the resource: capture with {x} what '*' matches.",
                                Map.of("pattern", "\\*"),
                                "key",
                                Map.of("type", "string"),
                                "resource")));
        return lock;
    }

    /** An entry with {@code acquire} is a method rule: the keys of a library have no place in it, nor its keys in another. */
    private static Map<String, Object> byLibraryOrByMethods() {
        Map<String, Object> noMethods = new LinkedHashMap<>();
        MethodLocksReader.KEYS.forEach(key -> noMethods.put(key, false));
        noMethods.put("resource", Map.of("pattern", "^" + runs(CAPTURE)));
        Map<String, Object> byLibrary = new LinkedHashMap<>();
        byLibrary.put("required", List.of("library", "key"));
        byLibrary.put("properties", noMethods);
        Map<String, Object> noLibrary = new LinkedHashMap<>();
        LocksReader.LIBRARY_KEYS.forEach(key -> noLibrary.put(key, false));
        noLibrary.put("resource", Map.of("pattern", "^" + runs(PATH)));
        Map<String, Object> byMethods = new LinkedHashMap<>();
        byMethods.put("required", List.of("resource"));
        byMethods.put("properties", noLibrary);
        byMethods.put("anyOf", List.of(Map.of("required", List.of("lease")), Map.of("required", List.of("token"))));
        Map<String, Object> either = new LinkedHashMap<>();
        either.put("if", Map.of("required", List.of(MethodLocksReader.MARK)));
        either.put("then", byMethods);
        either.put("else", byLibrary);
        return either;
    }

    private static Map<String, Object> methods(String description, String example) {
        Map<String, Object> method = new LinkedHashMap<>();
        method.put("type", "string");
        method.put("pattern", METHOD);
        Map<String, Object> list = new LinkedHashMap<>();
        list.put("type", "array");
        list.put("minItems", 1);
        list.put("maxItems", Section.MOST_TEXTS);
        list.put("uniqueItems", true);
        list.put("items", method);
        Map<String, Object> methods = new LinkedHashMap<>();
        methods.put("description", description);
        methods.put("anyOf", List.of(method, list));
        methods.put("examples", List.of(example));
        return methods;
    }

    private static Map<String, Object> lock(String key) {
        return switch (key) {
            case "acquire" ->
                methods(
                        "In place of a library and a key: the service's own methods that take the lock.",
                        "com.acme.LockClient#tryAcquire(java.lang.String,java.time.Duration)");
            case "when" ->
                words(
                        "With 'acquire': whether what it returns tells that the lock is held, or that it returns at all.",
                        Words.all(HeldWhen.class),
                        Words.of(HeldWhen.RESULT));
            case "lease" ->
                pattern(
                        "With 'acquire': how long the lock is granted for: 30s, or where a call has it: arg1, \"arg1 ms\", \"arg1 arg2\".",
                        "^\\s*(?:[0-9]|PT|arg[0-9]|result|this)[^#]*$",
                        "arg1");
            case "token" ->
                pattern(
                        "With 'acquire': where a call has the lock's own fencing token; left out, the claim issues one.",
                        "^(?:arg[0-9]{1,3}|result|this)(?:\\.[^.\\s]+)*$",
                        "result.fencingToken");
            case "renew" ->
                methods(
                        "With 'acquire': the methods that prolong the lock.",
                        "com.acme.LockClient#extend(java.lang.String,java.time.Duration)");
            case "release" ->
                methods(
                        "With 'acquire': the methods that give the lock back.",
                        "com.acme.LockClient#release(java.lang.String)");
            case "name" -> name("Its name in reports; unique among locks.");
            case "mode" -> mode("A mode of its own for these locks. 'mode: off' of the file is stronger.", null);
            case "library" -> words("Whose locks these are.", Rules.LIBRARIES, null);
            case "key" ->
                pattern(
                        "Names of the locks: {x} captures and * matches any run of characters; {{ and }} stand for braces.",
                        "^" + runs("(?:\\*|" + CAPTURE + ")"),
                        "order:{id}");
            case "resource" ->
                pattern(
                        "What the fencing token is scoped to; uses every capture of the key, or paths into a call. Default: the lock's name.",
                        "^" + runs(PATH),
                        "orders/{id}");
            case "generation" -> count("Raise it when the coordinator was replaced or restored from a backup.", 0);
            case "protects" -> {
                Map<String, Object> name = described("string", "The name of a target.");
                Map<String, Object> names = list("Targets, by name. Default: all.", name, Section.MOST_TEXTS);
                names.put("uniqueItems", true);
                yield names;
            }
            case "claim" ->
                words(
                        "When the fence is claimed: before the first statement under the lock, or inside the acquire call.",
                        Words.all(ClaimAt.class),
                        Words.of(ClaimAt.FIRST_ACCESS));
            case "guardAtRelease" ->
                flag("Whether an unlock inside an open transaction makes the next holder wait for its commit.", true);
            case "ends" ->
                words(
                        "What ends the stay on its thread of a lease that is never unlocked.",
                        Words.all(Ends.class),
                        Words.of(Ends.DEADLINE));
            default -> null;
        };
    }

    private static Map<String, Object> target() {
        Map<String, Object> target = table("a target", TargetsReader.KEYS, RulesSchema::target);
        target.put("required", List.of("name", "jdbc"));
        return target;
    }

    private static Map<String, Object> target(String key) {
        return switch (key) {
            case "name" -> name("Its name in reports and for 'protects'; unique among targets.");
            case "jdbc" -> {
                Map<String, Object> jdbc = pattern(
                        "Which databases, by URL: * is any run without '/', ** is anything; what follows '?' is ignored.",
                        "^(?![\\s\\S]*\\*\\*\\*)(?:" + TargetsReader.POSTGRESQL + "|"
                                + startOf(TargetsReader.POSTGRESQL) + "\\*)[^?]*$",
                        "jdbc:postgresql://*/orders");
                jdbc.put("maxLength", TargetsReader.LONGEST);
                yield jdbc;
            }
            case "unleased" ->
                words(
                        "What happens to writes under no lease; 'reject' needs mode enforce.",
                        Words.all(Unleased.class),
                        Words.of(Unleased.ALLOW));
            case "expired" ->
                words(
                        "What happens to the commit of statements that were sent in time, once their lease has expired.",
                        Words.all(Expired.class),
                        Words.of(Expired.REFUSE));
            default -> null;
        };
    }

    /** Text with runs, of which no two stand side by side. */
    private static String runs(String run) {
        return run + "?(?:" + CHARACTER + "+" + run + ")*" + CHARACTER + "*$";
    }

    /** Any start of a text, the empty one too. */
    private static String startOf(String text) {
        StringBuilder pattern = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            pattern.append("(?:").append(text.charAt(i));
        }
        return pattern.append(")?".repeat(text.length())).toString();
    }

    private static Map<String, Object> never(
            String because, Map<String, Object> first, String firstKey, Map<String, Object> second, String secondKey) {
        Map<String, Object> both = new LinkedHashMap<>();
        both.put(firstKey, first);
        both.put(secondKey, second);
        Map<String, Object> not = new LinkedHashMap<>();
        not.put("required", List.of(firstKey, secondKey));
        not.put("properties", both);
        Map<String, Object> never = new LinkedHashMap<>();
        never.put("$comment", because);
        never.put("not", not);
        return never;
    }

    private static Map<String, Object> described(String type, String description) {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("description", description);
        value.put("type", type);
        return value;
    }

    private static Map<String, Object> name(String description) {
        Map<String, Object> name = described("string", description);
        name.put("maxLength", Section.LONGEST_NAME);
        name.put(
                "pattern",
                "^[^\\s\\u0000-\\u001f\\u007f-\\u009f](?:[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f])?$");
        return name;
    }

    private static Map<String, Object> mode(String description, Mode otherwise) {
        return words(
                description
                        + " off: nothing is done. observe: nothing leaves the JVM, nothing is refused. shadow: refusals are only reported. enforce: they are thrown.",
                Words.all(Mode.class),
                otherwise == null ? null : Words.of(otherwise));
    }

    private static Map<String, Object> words(String description, List<String> words, String otherwise) {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("description", description);
        value.put("enum", words);
        if (otherwise != null) {
            value.put("default", otherwise);
        }
        return value;
    }

    private static Map<String, Object> flag(String description, boolean otherwise) {
        Map<String, Object> flag = described("boolean", description);
        flag.put("default", otherwise);
        return flag;
    }

    private static Map<String, Object> count(String description, int otherwise) {
        Map<String, Object> count = described("integer", description);
        count.put("minimum", 0);
        count.put("maximum", Integer.MAX_VALUE);
        count.put("default", otherwise);
        return count;
    }

    private static Map<String, Object> duration(String description, Duration otherwise) {
        Map<String, Object> duration =
                described("string", description + " 500ms, 10s, 1m, 2h, or ISO-8601 such as PT10S.");
        duration.put("pattern", DURATION);
        duration.put("default", Durations.text(otherwise));
        return duration;
    }

    private static Map<String, Object> pattern(String description, String pattern, String example) {
        Map<String, Object> text = described("string", description);
        text.put("minLength", 1);
        text.put("pattern", pattern);
        text.put("examples", List.of(example));
        return text;
    }

    private static Map<String, Object> list(String description, Map<String, Object> item, int most) {
        Map<String, Object> list = described("array", description);
        list.put("minItems", 1);
        list.put("maxItems", most);
        list.put("items", item);
        return list;
    }
}
