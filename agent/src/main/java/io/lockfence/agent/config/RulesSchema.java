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
            "(?:0*[0-9]{1,9}\\s*(?:ms|s|m|h)\\s*|PT(?=[+0-9])(?:[-+]?[0-9]{1,9}[Hh])?(?:[-+]?[0-9]{1,9}[Mm])?(?:[-+]?[0-9]{1,9}(?:[.,][0-9]{0,9})?[Ss])?)";
    /** What no name of Java holds, as far as people write it by mistake. */
    private static final String NO_NAME = "\\s.#()<>\\[\\]{}/*,;:!?@&=+|~^%\\-";

    private static final String NAME_PART = "[^\\d" + NO_NAME + "][^" + NO_NAME + "]*";
    private static final String NAME = NAME_PART + "(?:\\." + NAME_PART + ")*";
    private static final String PARAMETER = "\\s*" + NAME + "(?:\\s*\\[\\])*(?:\\s*\\.\\.\\.)?\\s*";
    private static final String METHOD = "^(?!java\\.|javax\\.|jdk\\.|sun\\.)" + NAME + "#" + NAME_PART + "\\((?:\\s*|"
            + PARAMETER + "(?:," + PARAMETER + ")*)\\)$";
    private static final String PATH =
            "(?:arg(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-4])|result|this)(?:\\." + NAME_PART + "){0,10}";
    private static final String CHARACTER = "(?:[^{}*]|\\{\\{|\\}\\})";
    private static final String CAPTURE = "(?:\\{[A-Za-z0-9_]+\\})";

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
            case "receive" ->
                list(
                        "Requests that carry the leases of a caller. The first entry that matches a request is its rule. Default: none.",
                        receive(),
                        ReceiveReader.MOST);
            case "propagate" -> {
                Map<String, Object> propagate = table("propagate", RulesReader.PROPAGATE_KEYS, RulesSchema::propagate);
                propagate.put("description", "Which work runs under the leases of whoever gives it to an executor.");
                propagate.put("required", List.of("exclude"));
                yield propagate;
            }
            default -> null;
        };
    }

    private static Map<String, Object> lock() {
        Map<String, Object> lock = table("a lock", LocksReader.KEYS, RulesSchema::lock);
        lock.put("required", List.of("name"));
        lock.put("if", Map.of("required", List.of(MethodLocksReader.MARK)));
        lock.put("then", methodRule());
        lock.put("else", libraryRule());
        lock.put(
                "allOf",
                List.of(never(
                        "Nothing is claimed in these modes.",
                        "mode",
                        Map.of("enum", List.of(Words.of(Mode.OFF), Words.of(Mode.OBSERVE))),
                        "claim",
                        Map.of("const", Words.of(ClaimAt.ACQUIRE)))));
        return lock;
    }

    private static Map<String, Object> libraryRule() {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("resource", template("^" + runs(CAPTURE)));
        for (String key : MethodLocksReader.KEYS) {
            properties.put(key, false);
        }
        Map<String, Object> rule = new LinkedHashMap<>();
        rule.put("required", List.of("library", "key"));
        rule.put("properties", properties);
        rule.put(
                "allOf",
                List.of(
                        never(
                                "With '*' in the key, different locks would share the resource: capture with {x} what '*' matches.",
                                "key",
                                Map.of("pattern", "\\*"),
                                "resource",
                                Map.of("type", "string")),
                        processOrEnds(),
                        never(
                                "The locks of this library belong to threads; 'scope: process' is for leadership.",
                                "library",
                                Map.of("not", Map.of("enum", Rules.LEADERSHIP_LIBRARIES)),
                                "scope",
                                Map.of("const", Words.of(LeaseScope.PROCESS))),
                        never(
                                "The locks of this library always have a time to live.",
                                "library",
                                Map.of("not", Map.of("enum", Rules.VERIFYING_LIBRARIES)),
                                LocksReader.VERIFY_EVERY,
                                Map.of())));
        return rule;
    }

    private static Map<String, Object> methodRule() {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("resource", template("^" + runs("(?:\\{" + PATH + "\\})")));
        for (String key : LocksReader.LIBRARY_KEYS) {
            properties.put(key, false);
        }
        properties.put(LocksReader.VERIFY_EVERY, false);
        Map<String, Object> rule = new LinkedHashMap<>();
        rule.put("required", List.of("resource"));
        rule.put("properties", properties);
        rule.put("anyOf", List.of(Map.of("required", List.of("lease")), Map.of("required", List.of("token"))));
        rule.put("allOf", List.of(processOrEnds()));
        return rule;
    }

    private static Map<String, Object> processOrEnds() {
        return never(
                "A lease of the process stays until it is released or taken anew.",
                "scope",
                Map.of("const", Words.of(LeaseScope.PROCESS)),
                "ends",
                Map.of());
    }

    private static Map<String, Object> template(String pattern) {
        Map<String, Object> template = new LinkedHashMap<>();
        template.put("pattern", pattern);
        return template;
    }

    private static Map<String, Object> lock(String key) {
        return switch (key) {
            case "name" -> name("Its name in reports; unique among locks.");
            case "mode" -> mode("A mode of its own for these locks. 'mode: off' of the file is stronger.", null);
            case "library" -> words("Whose locks these are.", Rules.LIBRARIES, null);
            case "key" ->
                pattern(
                        "Names of the locks: {x} captures and * matches any run of characters; {{ and }} stand for braces.",
                        "^" + runs("(?:\\*|" + CAPTURE + ")"),
                        "order:{id}");
            case "resource" -> {
                Map<String, Object> resource = described(
                        "string",
                        "What the fencing token is scoped to: uses every capture of the key (default: the lock's name), or of a method rule paths such as {arg0.id}.");
                resource.put("minLength", 1);
                resource.put("examples", List.of("orders/{id}", "settlement/{arg0}"));
                yield resource;
            }
            case "acquire" ->
                methods(
                        "The methods that take the lock: class or interface, '#', name, erased types of the parameters with their packages. Makes this a method rule, without 'library' and 'key'.",
                        "com.acme.LockClient#tryAcquire(java.lang.String,java.time.Duration)");
            case "renew" ->
                methods(
                        "The methods that prolong it.",
                        "com.acme.LockClient#extend(java.lang.String,java.time.Duration)");
            case "release" ->
                methods("The methods that give it back.", "com.acme.LockClient#release(java.lang.String)");
            case "when" ->
                words(
                        "How it is told that 'acquire' has taken the lock: by what it returned (true, or anything but null, false and an empty Optional), or always.",
                        Words.all(HeldWhen.class),
                        Words.of(HeldWhen.RESULT));
            case "scope" ->
                words(
                        "With 'acquire', or for the leaders of Curator, etcd and Consul: whose work the leases cover, that of the thread that took the lock, or of every thread of the JVM (leadership).",
                        Words.all(LeaseScope.class),
                        Words.of(LeaseScope.THREAD));
            case "lease" ->
                pattern(
                        "How long the lock is granted for: 30s, or where the call has it: arg1 (a Duration), 'arg1 ms' (a number), 'arg1 arg2' (a number and its TimeUnit).",
                        "^(?:" + DURATION + "|\\s*" + PATH + "(?:\\s+(?:" + String.join("|", LeaseTime.UNIT_NAMES) + "|"
                                + PATH + "))?\\s*)$",
                        "arg1 ms");
            case "token" ->
                pattern(
                        "Where the call has a fencing token. Default: the database issues it with the claim.",
                        "^" + PATH + "$",
                        "result.fencingToken");
            case "generation" -> count("Raise it when the coordinator was replaced or restored from a backup.", 0);
            case "protects" -> protects();
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
            case LocksReader.VERIFY_EVERY ->
                duration(
                        "With library consul: how old an answer of Consul's may be that a write relies on under a session without a TTL, 100ms to 10s.",
                        Rules.VERIFY_EVERY);
            default -> null;
        };
    }

    private static Map<String, Object> protects() {
        Map<String, Object> name = described("string", "The name of a target.");
        Map<String, Object> names = list("Targets, by name. Default: all.", name, Section.MOST_TEXTS);
        names.put("uniqueItems", true);
        return names;
    }

    private static Map<String, Object> target() {
        Map<String, Object> target = table("a target", TargetsReader.KEYS, RulesSchema::target);
        target.put("required", List.of("name"));
        target.put("if", requiring(TargetsReader.METHOD));
        target.put("then", without(TargetsReader.JDBC_KEYS, TargetsReader.HTTP_KEYS));
        Map<String, Object> database = new LinkedHashMap<>();
        database.put("if", requiring(TargetsReader.JDBC));
        database.put("then", without(TargetsReader.HTTP_KEYS, TargetsReader.METHOD_KEYS));
        database.put("else", requiring(TargetsReader.JDBC));
        Map<String, Object> other = new LinkedHashMap<>();
        other.put("if", requiring(TargetsReader.HTTP));
        other.put("then", without(TargetsReader.JDBC_KEYS, TargetsReader.METHOD_KEYS));
        other.put("else", database);
        target.put("else", other);
        return target;
    }

    private static Map<String, Object> receive() {
        Map<String, Object> receive = table("a receive rule", ReceiveReader.KEYS, RulesSchema::receive);
        receive.put("required", List.of("name", "path", "trust"));
        receive.put(
                "allOf",
                List.of(
                        trusting(Trust.NONE, without(ReceiveReader.KEYS_OF_TRUST)),
                        trusting(Trust.NETWORK, requiring("from")),
                        trusting(Trust.SIGNED, requiring("keys")),
                        never(
                                "Networks belong to 'trust: network'.",
                                "trust",
                                Map.of("enum", List.of(Words.of(Trust.NONE), Words.of(Trust.SIGNED))),
                                "from",
                                Map.of()),
                        never(
                                "Keys belong to 'trust: signed'.",
                                "trust",
                                Map.of("enum", List.of(Words.of(Trust.NONE), Words.of(Trust.NETWORK))),
                                "keys",
                                Map.of())));
        return receive;
    }

    private static Map<String, Object> trusting(Trust trust, Map<String, Object> rule) {
        Map<String, Object> condition = new LinkedHashMap<>();
        condition.put("required", List.of("trust"));
        condition.put("properties", Map.of("trust", Map.of("const", Words.of(trust))));
        Map<String, Object> trusting = new LinkedHashMap<>();
        trusting.put("if", condition);
        trusting.put("then", rule);
        return trusting;
    }

    private static Map<String, Object> requiring(String key) {
        return Map.of("required", List.of(key));
    }

    private static Map<String, Object> receive(String key) {
        return switch (key) {
            case "name" -> name("Its name in reports; unique among receive rules, and no lock's.");
            case "mode" -> mode("A mode of its own for these requests. 'mode: off' of the file is stronger.", null);
            case "path" -> {
                Map<String, Object> path = pattern(
                        "Paths of the requests, as the service sees them: * is any run without '/', ** is anything; a '/' at the end does not matter.",
                        "^/(?!/)(?![\\s\\S]*(?:\\*\\*\\*|//|%[0-9A-Fa-f]{2}))(?!(?:[\\s\\S]*/)?\\.\\.?(?:/|$(?![\\s\\S])))[^?#;{}]*$",
                        "/stock/**");
                path.put("maxLength", ReceiveReader.LONGEST);
                yield path;
            }
            case "methods" -> httpMethods("Methods of the requests. Default: all.", null);
            case "require" -> flag("Whether a request without a token is answered with 428.", false);
            case "fence" ->
                described(
                        "string",
                        "The target with 'jdbc' where the token is claimed before the handler runs, for handlers that write to no fenced database themselves.");
            case "trust" ->
                words(
                        "Whom the header is believed: nobody, so that it is ignored; who connects from the networks in 'from'; or whoever has signed it with one of 'keys'.",
                        Words.all(Trust.class),
                        null);
            case "from" ->
                oneOrSeveral(
                        "With 'trust: network': addresses of the connections, such as 192.0.2.0/24.",
                        described("string", "A network in CIDR notation, or one address in numbers."),
                        Section.MOST_TEXTS,
                        "192.0.2.0/24");
            case "keys" ->
                oneOrSeveral(
                        "With 'trust: signed': the environment variables that hold the keys, of at least "
                                + SigningKey.SHORTEST + " bytes; two while they change.",
                        variable("The name of an environment variable."),
                        ReceiveReader.MOST_SIGNERS,
                        "STOCK_KEY");
            case "leap" -> {
                Map<String, Object> leap = described(
                        "integer", "How far a token may be ahead of what is known; one that is further is refused.");
                leap.put("minimum", 1);
                leap.put("maximum", Long.MAX_VALUE);
                leap.put("default", ReceiveRule.LEAP);
                yield leap;
            }
            case "protects" -> protects();
            default -> null;
        };
    }

    private static Map<String, Object> propagate(String key) {
        if (!key.equals("exclude")) {
            return null;
        }
        Map<String, Object> name = described("string", "A pattern of class names; * is any run of characters.");
        name.put("pattern", "^(?![\\s\\S]*\\*\\*)[^" + Propagation.NO_NAME + "]+$");
        name.put("maxLength", Propagation.LONGEST);
        return oneOrSeveral(
                "Executors, thread factories or tasks, by class, whose work does not inherit leases.",
                name,
                Section.MOST_TEXTS,
                "com.acme.audit.*");
    }

    private static Map<String, Object> variable(String description) {
        Map<String, Object> variable = described("string", description);
        variable.put("pattern", "^" + KeyVariables.PATTERN + "$");
        return variable;
    }

    private static Map<String, Object> httpMethods(String description, List<String> otherwise) {
        Map<String, Object> methods =
                list(description, new LinkedHashMap<>(Map.of("enum", HttpMethods.ALL)), Section.MOST_TEXTS);
        methods.put("uniqueItems", true);
        if (otherwise != null) {
            methods.put("default", otherwise);
        }
        return methods;
    }

    @SafeVarargs
    private static Map<String, Object> without(List<String>... kinds) {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (List<String> keys : kinds) {
            keys.forEach(key -> properties.put(key, false));
        }
        Map<String, Object> rule = new LinkedHashMap<>();
        rule.put("properties", properties);
        return rule;
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
            case "method" ->
                methods(
                        "The methods that write there: calls are refused before they run, once the lease is expired or lost. Makes this a target without a fence, and without 'jdbc' or 'http'.",
                        "com.acme.plc.Plc#send(byte[])");
            case "http" -> {
                Map<String, Object> http = pattern(
                        "Which services, by URL, with the path: * is any run without '/', ** is anything in a path; query and fragment are ignored. Requests under a lease carry it. Makes this a target without 'jdbc'.",
                        "^(?![\\s\\S]*\\*\\*\\*)(?:https?|\\*)://[^/?#@]+/(?!(?:[\\s\\S]*/)?\\.\\.?(?:/|$(?![\\s\\S])))[^?#;{}]*$",
                        "https://stock.internal/**");
                http.put("maxLength", TargetsReader.LONGEST);
                yield http;
            }
            case "methods" ->
                httpMethods(
                        "With 'http': which requests are refused once their lease is expired or lost. The header goes on every request.",
                        HttpMethods.ALL.stream()
                                .filter(HttpDestination.METHODS::contains)
                                .toList());
            case "key" ->
                variable("With 'http': the environment variable that holds the key to sign with, of at least "
                        + SigningKey.SHORTEST + " bytes. Default: no signature.");
            case "afterRelease" ->
                words(
                        "What happens to writes, requests or calls of work that goes on after its lock was given back.",
                        Words.all(AfterRelease.class),
                        Words.of(AfterRelease.REPORT));
            case "unleased" ->
                words(
                        "What happens to writes, requests or calls under no lease; 'reject' needs mode enforce.",
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

    private static Map<String, Object> methods(String description, String example) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("type", "string");
        one.put("pattern", METHOD);
        return oneOrSeveral(description, one, Section.MOST_TEXTS, example);
    }

    private static Map<String, Object> oneOrSeveral(
            String description, Map<String, Object> one, int most, String example) {
        Map<String, Object> several = new LinkedHashMap<>();
        several.put("type", "array");
        several.put("minItems", 1);
        several.put("maxItems", most);
        several.put("uniqueItems", true);
        several.put("items", one);
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("description", description + " One, or a list.");
        value.put("anyOf", List.of(one, several));
        value.put("examples", List.of(example));
        return value;
    }

    private static Map<String, Object> never(
            String because, String firstKey, Map<String, Object> first, String secondKey, Map<String, Object> second) {
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
        duration.put("pattern", "^" + DURATION + "$");
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
