/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The schema says what the loader says, as far as a schema can tell. */
class RulesSchemaTest {
    private static final Path DOCS = Path.of("../docs");
    private static final Path WRONG = Path.of("src/test/resources/io/lockfence/agent/config/wrong");

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Schema SCHEMA = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(JSON.<JsonNode>valueToTree(RulesSchema.tree()));

    /** What is wrong with a file before it is a tree of YAML; merges are gone from the tree. */
    private static final Pattern NO_TREE = Pattern.compile(
            "not YAML: .*|a tag .*|nested more than .*|more than 50 aliases|a second document|the file is empty|a line of more than .*|'\\*.*' refers to .*|unknown key '<<' .*");

    /** What is wrong with a tree and no schema sees: what entries say of one another, quotes, and sizes of durations. */
    private static final Map<String, Pattern> BEYOND = Map.ofEntries(
            Map.entry(
                    "names that stand twice",
                    pattern("(lock|target|receive rule) '.*' (stands twice, .*|has the name of a lock)")),
            Map.entry("keys that stand twice", pattern("key '.*' stands twice.*")),
            Map.entry("entries that hide others", pattern(".* is never used: .*")),
            Map.entry("resources that meet", pattern(".* has the same resources as .*")),
            Map.entry(
                    "names of targets",
                    pattern(
                            "'(protects|fence)' in .* names the target .*, which is (not there|no database|not in 'protects' there)")),
            Map.entry(
                    "hosts and ports",
                    pattern(
                            "the URL pattern .* is wrong: (it has no host|'\\*\\*' cannot stand|'\\*' cannot stand|what follows ':').*")),
            Map.entry("networks", pattern("'from' in .*: (it is no address|what follows '/'|its address has bits).*")),
            Map.entry("networks in other words", pattern("'from' in .* names a network twice")),
            Map.entry("what captures are used", pattern(".* (has no capture|does not use) .*")),
            Map.entry("numbers of advisory locks", pattern("the key .* matches no advisory lock: .*")),
            Map.entry("captures", pattern(".*(the capture .* stands there twice|more than 20 captures).*")),
            Map.entry("quotes", pattern(".* is (?i:yes|no|on|off) without quotes: YAML may read true or false")),
            Map.entry("dates and the like", pattern(".* is \\d+[-:_].* without quotes: YAML may read a number")),
            Map.entry("sizes of durations", pattern("'(claimTimeout|guardIdle)' is .*, out of range")),
            Map.entry(
                    "constructors", pattern("'(acquire|renew|release|method)' in .*: a constructor cannot be named.*")),
            Map.entry(
                    "types that Java would not know",
                    pattern(
                            "'(acquire|renew|release|method)' in .*: parameter \\d+: '[^<>/ ]*' (lacks its package|seems to be .*|is no type)")),
            Map.entry("void", pattern("'(acquire|renew|release|method)' in .*: parameter \\d+ cannot be void.*")),
            Map.entry("methods that do two things", pattern(".* names the method .*, which is in '\\w+' too")),
            Map.entry("methods of two locks", pattern(".* is taken by .*, as .*")),
            Map.entry("methods of two targets", pattern(".* is the method .*, as .*")),
            Map.entry(
                    "methods of a lock and a target",
                    pattern("target .* names the method .*, which is in .* of lock .*")),
            Map.entry(
                    "results that come after the release",
                    pattern("the resource .* is read from what a call returns.*")),
            Map.entry("no time at all", pattern(".*nothing is held for no time")),
            Map.entry("how numbers are written", pattern("'(generation|leap)' in .* is '(0[x0-9]|[0-9.]+e).*'")));

    private static final List<String> METHODS = List.of(
            "com.acme.A#a()",
            "A#a(int)",
            "com.acme.A$B#a(byte[],com.acme.T...)",
            "com.acme.A#a( java.lang.String , long[][] )",
            "com.acme.A#a(com.acme.B[] [])",
            "com.acme.A#a(long ...)",
            "java.util.concurrent.locks.Lock#lock()",
            "com.acme.A#a",
            "com.acme.A.a()",
            "com.acme.A#a(",
            "com.acme.A#(int)",
            "#a()",
            "com.acme.A#a(int,)",
            "com.acme.A#a(,int)",
            "com.acme.A#a(int x)",
            "com.acme.A#a(java.util.List<X>)",
            "com/acme/A#a()",
            "com.acme.*#a()",
            "com.acme.A#*()",
            "com.acme.A#1a()",
            "com..A#a()",
            ".A#a()",
            "com.acme.A#<init>()",
            "com.acme.A#a()()",
            "com.acme.A#a(int",
            " com.acme.A#a()",
            "com.acme.A#a() ",
            "com.acme.A# a()",
            "com.acme.Ä#straße()",
            "com.acme.A#a(String)");
    private static final List<String> LEASES = List.of(
            "arg0",
            "arg1 ms",
            "arg1 us",
            " arg1  ms ",
            "arg1 arg2",
            "arg1.a result.b",
            "arg1 days",
            "arg1 ms ms",
            "arg254",
            "arg255",
            "arg01",
            "arg",
            "args",
            "result",
            "this.a.b",
            "result.",
            "result..a",
            "result.a()",
            "result.1",
            "this.a-b",
            "a.b.c.d.e.f.g.h.i.j.k",
            "this.b.c.d.e.f.g.h.i.j.k",
            "this.b.c.d.e.f.g.h.i.j.k.l",
            "30",
            "30s",
            "PT1M",
            "0s",
            "r/{arg0}",
            "{result.a}",
            "r{arg0}{arg1}",
            "r/{name}",
            "{{arg0}}",
            "{arg0.a()}");

    private static Pattern pattern(String what) {
        return Pattern.compile(what, Pattern.DOTALL);
    }

    static Stream<Path> wrongFiles() throws IOException {
        return Files.list(WRONG).sorted();
    }

    @Test
    void theSchemaItselfIsValid() {
        Schema dialect = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(com.networknt.schema.SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));

        assertThat(dialect.validate(JSON.<JsonNode>valueToTree(RulesSchema.tree())))
                .isEmpty();
    }

    @Test
    void everyGoodFileOfTheDocumentsIsAccepted() throws Exception {
        List<String> files = new ArrayList<>();
        files.add(Files.readString(DOCS.resolve("lockfence.example.yaml")));
        Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(DOCS.resolve("rules.md")))
                .results()
                .forEach(block -> files.add(block.group(1)));

        assertThat(files).hasSizeGreaterThan(3).allSatisfy(text -> {
            assertThatCode(() -> RulesLoader.parse(text, "good")).doesNotThrowAnyException();
            assertThat(SCHEMA.validate(new Tree(text).json)).isEmpty();
        });
    }

    /** Line by line: where the loader finds a mistake that a schema can see, the schema finds one, and nowhere else. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongFiles")
    void theSchemaFindsTheMistakesOfTheWrongFilesWhereTheLoaderDoes(Path file) throws IOException {
        String text = Files.readString(file);
        compare(text.substring(0, text.indexOf("#! ")));
    }

    @Test
    void nothingIsCalledBeyondASchemaThatNoWrongFileShows() throws IOException {
        Set<String> shown = new TreeSet<>();
        for (Path file : wrongFiles().toList()) {
            for (Problem problem : problems(Files.readString(file))) {
                BEYOND.forEach((reason, pattern) -> {
                    if (pattern.matcher(problem.what()).matches()) {
                        shown.add(reason);
                    }
                });
            }
        }

        assertThat(shown).isEqualTo(new TreeSet<>(BEYOND.keySet()));
    }

    /** Each key of the loader with each kind of value, in a file that is good without it. */
    @Test
    void everyKeyTakesTheSameValuesInTheSchemaAsInTheLoader() {
        int accepted = 0;
        for (String key : RulesReader.KEYS) {
            int before = accepted;
            for (Object value : values()) {
                accepted += same(with(Map.of(), key, value));
            }
            assertThat(accepted).as("values of '%s' that are accepted", key).isGreaterThan(before);
        }
        for (String key : LocksReader.KEYS) {
            int before = accepted;
            for (Object value : values()) {
                for (Map<String, Object> lock : List.of(aLock(), aMethodLock(), everyKeyOfAMethodLock())) {
                    accepted += same(Map.of("locks", List.of(with(lock, key, value)), "targets", List.of(aTarget())));
                }
            }
            assertThat(accepted)
                    .as("values of '%s' of a lock that are accepted: add one to values()", key)
                    .isGreaterThan(before);
        }
        for (String key : TargetsReader.KEYS) {
            int before = accepted;
            for (Object value : values()) {
                for (Map<String, Object> target : List.of(aTarget(), aMethodTarget(), anHttpTarget())) {
                    accepted += same(Map.of("targets", List.of(with(target, key, value))));
                }
            }
            assertThat(accepted)
                    .as("values of '%s' of a target that are accepted: add one to values()", key)
                    .isGreaterThan(before);
        }
    }

    @Test
    void everyKeyOfWhatComesInTakesTheSameValuesInTheSchemaAsInTheLoader() {
        int accepted = 0;
        for (String key : ReceiveReader.KEYS) {
            int before = accepted;
            for (Object value : values()) {
                for (Map<String, Object> rule : List.of(believingNobody(), believingANetwork(), believingSigners())) {
                    accepted += same(Map.of("receive", List.of(with(rule, key, value)), "targets", List.of(aTarget())));
                }
            }
            assertThat(accepted)
                    .as("values of '%s' of a receive rule that are accepted: add one to values()", key)
                    .isGreaterThan(before);
        }
        for (Object value : values()) {
            same(Map.of("receive", value == null ? "" : value));
            same(Map.of("propagate", value == null ? "" : value));
            accepted += same(Map.of("propagate", with(Map.of(), "exclude", value)));
        }
        assertThat(accepted).isGreaterThan(50);
    }

    @Test
    void everyTwoKeysOfWhatComesInMayStandTogetherInTheSchemaIfTheyMayInTheLoader() {
        List<Object> values = List.of("none", "network", "signed", "192.0.2.0/24", "A_KEY", "a", List.of("a"), true, 7);
        for (String one : ReceiveReader.KEYS) {
            for (String other : ReceiveReader.KEYS) {
                for (Object value : values) {
                    for (Object otherValue : values) {
                        same(Map.of(
                                "receive",
                                List.of(with(with(believingNobody(), one, value), other, otherValue)),
                                "targets",
                                List.of(aTarget())));
                    }
                }
            }
        }
    }

    @Test
    void everyKeyMayBeMissingInTheSchemaIfItMayInTheLoader() {
        for (Map<String, Object> entry : List.of(aLock(), everyKeyOfALock(), aMethodLock(), everyKeyOfAMethodLock())) {
            for (String key : entry.keySet()) {
                Map<String, Object> without = new LinkedHashMap<>(entry);
                without.remove(key);
                same(Map.of("locks", List.of(without), "targets", List.of(aTarget())));
            }
        }
        for (Map<String, Object> rule : List.of(believingNobody(), believingANetwork(), believingSigners())) {
            for (String key : rule.keySet()) {
                Map<String, Object> without = new LinkedHashMap<>(rule);
                without.remove(key);
                same(Map.of("receive", List.of(without)));
            }
        }
        for (Map<String, Object> target : List.of(aTarget(), aMethodTarget(), anHttpTarget())) {
            for (String key : target.keySet()) {
                Map<String, Object> without = new LinkedHashMap<>(target);
                without.remove(key);
                same(Map.of("targets", List.of(without)));
            }
        }
    }

    @Test
    void everyTwoKeysMayStandTogetherInTheSchemaIfTheyMayInTheLoader() {
        List<Object> values = List.of(
                "off",
                "observe",
                "shadow",
                "acquire",
                "unlock",
                "a*",
                "a{x}",
                "r/{x}",
                "r/{arg0}",
                "always",
                "arg1",
                "30s",
                "com.acme.Lock#renew()",
                true,
                1,
                List.of("a"));
        for (String one : LocksReader.KEYS) {
            for (String other : LocksReader.KEYS) {
                for (Object value : values) {
                    for (Object otherValue : values) {
                        for (Map<String, Object> lock : List.of(aLock(), aMethodLock())) {
                            same(Map.of(
                                    "locks",
                                    List.of(with(with(lock, one, value), other, otherValue)),
                                    "targets",
                                    List.of(aTarget())));
                        }
                    }
                }
            }
        }
    }

    @Test
    void everyWordOfTheLoaderIsAWordOfTheSchema() {
        JsonNode schema = JSON.valueToTree(RulesSchema.tree());
        JsonNode lock = schema.at("/properties/locks/items/properties");
        JsonNode target = schema.at("/properties/targets/items/properties");

        assertThat(words(schema.at("/properties/mode"))).isEqualTo(Words.all(Mode.class));
        assertThat(words(lock.get("mode"))).isEqualTo(Words.all(Mode.class));
        assertThat(words(lock.get("library"))).isEqualTo(Rules.LIBRARIES);
        assertThat(words(lock.get("claim"))).isEqualTo(Words.all(ClaimAt.class));
        assertThat(words(lock.get("scope"))).isEqualTo(Words.all(LeaseScope.class));
        assertThat(words(lock.get("when"))).isEqualTo(Words.all(HeldWhen.class));
        assertThat(words(lock.get("ends"))).isEqualTo(Words.all(Ends.class));
        assertThat(words(target.get("unleased"))).isEqualTo(Words.all(Unleased.class));
        assertThat(words(target.get("expired"))).isEqualTo(Words.all(Expired.class));
        assertThat(words(target.get("afterRelease"))).isEqualTo(Words.all(AfterRelease.class));
        assertThat(words(target.at("/methods/items"))).isEqualTo(HttpMethods.ALL);
        JsonNode receive = schema.at("/properties/receive/items/properties");
        assertThat(words(receive.get("mode"))).isEqualTo(Words.all(Mode.class));
        assertThat(words(receive.get("trust"))).isEqualTo(Words.all(Trust.class));
        assertThat(words(receive.at("/methods/items"))).isEqualTo(HttpMethods.ALL);
    }

    /** An editor explains what the cursor is at. */
    @Test
    void everyKeyIsDescribed() {
        JsonNode schema = JSON.valueToTree(RulesSchema.tree());
        for (String keys : List.of(
                "/properties",
                "/properties/locks/items/properties",
                "/properties/targets/items/properties",
                "/properties/receive/items/properties",
                "/properties/propagate/properties")) {
            assertThat(schema.at(keys).properties())
                    .isNotEmpty()
                    .allSatisfy(
                            key -> assertThat(key.getValue().at("/description").asString())
                                    .as(key.getKey())
                                    .hasSizeGreaterThan(15));
        }
    }

    /** Patterns of keys and URLs are read by hand in the loader and by an expression in the schema. */
    @Test
    void patternsAreReadAlike() {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        String[] pieces = {
            "a",
            "{x}",
            "{y1}",
            "{",
            "}",
            "{{",
            "}}",
            "*",
            "**",
            ":",
            "/",
            "/",
            "?",
            ".",
            "..",
            "%41",
            ";",
            "jdbc:",
            "jdbc:postgresql:",
            "-",
            " "
        };
        int accepted = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(6); n >= 0; n--) {
                text.append(pieces[random.nextInt(pieces.length)]);
            }
            String key = i % 2 == 0 ? "key" : "resource";
            accepted += same("seed " + seed, Map.of("locks", List.of(with(aLock(), key, text.toString()))));
            accepted += same("seed " + seed, Map.of("targets", List.of(with(aTarget(), "jdbc", text.toString()))));
            String url = "https://a" + text;
            accepted += same("seed " + seed, Map.of("targets", List.of(with(anHttpTarget(), "http", url))));
            String path = "/" + text;
            accepted += same("seed " + seed, Map.of("receive", List.of(with(believingNobody(), "path", path))));
        }
        assertThat(accepted).as("patterns that are accepted").isGreaterThan(1000);
    }

    /** Mistakes by the thousand, line by line. */
    @Test
    void mutatedFilesAreJudgedAlike() throws IOException {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        String example = Files.readString(DOCS.resolve("lockfence.example.yaml"));
        List<String> lines = example.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        int trees = 0;
        for (int i = 0; i < 2_000; i++) {
            List<String> mutated = new ArrayList<>(lines);
            for (int n = random.nextInt(3); n >= 0; n--) {
                int at = random.nextInt(mutated.size());
                String line = mutated.get(at);
                switch (random.nextInt(4)) {
                    case 0 -> mutated.remove(at);
                    case 1 -> mutated.set(at, mutated.get(at).replaceFirst(": .*", ": " + random.nextInt(3)));
                    case 2 -> {
                        String other = lines.get(random.nextInt(lines.size()));
                        mutated.set(
                                at,
                                line.replaceFirst(
                                        ": .*",
                                        ": "
                                                + other.replaceFirst("^[^:]*: *", "")
                                                        .replace("$", "")));
                    }
                    default -> mutated.set(at, line.replaceFirst("[a-z]:", ":"));
                }
            }
            trees += compare(String.join("\n", mutated) + "\n");
        }
        assertThat(trees).as("seed %d: mutants that are YAML", seed).isGreaterThan(500);
    }

    /** 1 if the text is YAML, else 0. */
    private static int compare(String text) {
        List<Problem> problems = problems(text);
        if (problems.stream()
                .anyMatch(problem -> NO_TREE.matcher(problem.what()).matches())) {
            return 0;
        }
        Tree tree = new Tree(text);
        List<Error> errors = SCHEMA.validate(tree.json);

        boolean cut = problems.size() > 100;
        for (Error error : errors) {
            assertThat(problems)
                    .as("only the schema finds: %s\n%s", error, text)
                    .anySatisfy(problem -> assertThat(cut || tree.around(error).contains(problem.line()))
                            .isTrue());
        }
        for (Problem problem : problems) {
            if (problem.line() > 0 && !beyond(problem)) {
                assertThat(errors)
                        .as("only the loader finds: %s\n%s", problem, text)
                        .anySatisfy(error -> assertThat(tree.around(error)).contains(problem.line()));
            }
        }
        return 1;
    }

    private static boolean beyond(Problem problem) {
        return BEYOND.values().stream()
                .anyMatch(pattern -> pattern.matcher(problem.what()).matches());
    }

    private static int same(Map<String, Object> file) {
        return same("", file);
    }

    /** 1 if both accept the file, else 0. */
    private static int same(String run, Map<String, Object> file) {
        JsonNode json = JSON.valueToTree(file);
        List<Problem> problems = problems(json.toString());
        List<Error> errors = SCHEMA.validate(json);
        if (problems.isEmpty()) {
            assertThat(errors).as("%s only the schema refuses %s", run, json).isEmpty();
            return 1;
        }
        if (problems.stream().allMatch(RulesSchemaTest::beyond)) {
            return 0;
        }
        assertThat(errors)
                .as("%s only the loader refuses %s: %s", run, json, problems)
                .isNotEmpty();
        return 0;
    }

    private static List<Problem> problems(String text) {
        try {
            RulesLoader.parse(text, "lockfence.yaml");
            return List.of();
        } catch (RulesException e) {
            return e.problems();
        }
    }

    private static Map<String, Object> aLock() {
        Map<String, Object> lock = new LinkedHashMap<>();
        lock.put("name", "orders");
        lock.put("library", Rules.LIBRARIES.get(0));
        lock.put("key", "a:{x}");
        return lock;
    }

    private static Map<String, Object> everyKeyOfALock() {
        Map<String, Object> lock = aLock();
        lock.put("mode", "enforce");
        lock.put("resource", "r/{x}");
        lock.put("generation", 1);
        lock.put("protects", List.of("a"));
        lock.put("claim", "acquire");
        lock.put("guardAtRelease", false);
        lock.put("ends", "unlock");
        return lock;
    }

    private static Map<String, Object> aMethodLock() {
        Map<String, Object> lock = new LinkedHashMap<>();
        lock.put("name", "orders");
        lock.put("acquire", "com.acme.Lock#tryLock(java.lang.String,long)");
        lock.put("resource", "r/{arg0}");
        lock.put("lease", "arg1 ms");
        return lock;
    }

    private static Map<String, Object> everyKeyOfAMethodLock() {
        Map<String, Object> lock = aMethodLock();
        lock.put("when", "always");
        lock.put("token", "result.token");
        lock.put("renew", List.of("com.acme.Lock#renew(java.lang.String)"));
        lock.put("release", List.of("com.acme.Lock#unlock(java.lang.String)", "com.acme.Lock#unlock()"));
        return lock;
    }

    private static Map<String, Object> aTarget() {
        Map<String, Object> target = new LinkedHashMap<>();
        target.put("name", "a");
        target.put("jdbc", "jdbc:postgresql://*/a");
        return target;
    }

    private static Map<String, Object> aMethodTarget() {
        Map<String, Object> target = new LinkedHashMap<>();
        target.put("name", "a");
        target.put("method", "com.acme.Plc#send(byte[])");
        return target;
    }

    private static Map<String, Object> anHttpTarget() {
        Map<String, Object> target = new LinkedHashMap<>();
        target.put("name", "a");
        target.put("http", "https://stock.internal/**");
        return target;
    }

    private static Map<String, Object> believingNobody() {
        Map<String, Object> rule = new LinkedHashMap<>();
        rule.put("name", "in");
        rule.put("path", "/stock/**");
        rule.put("trust", "none");
        return rule;
    }

    private static Map<String, Object> believingANetwork() {
        Map<String, Object> rule = believingNobody();
        rule.put("trust", "network");
        rule.put("from", List.of("192.0.2.0/24"));
        return rule;
    }

    private static Map<String, Object> believingSigners() {
        Map<String, Object> rule = believingNobody();
        rule.put("trust", "signed");
        rule.put("keys", List.of("NEW_KEY", "OLD_KEY"));
        return rule;
    }

    private static Map<String, Object> with(Map<String, Object> table, String key, Object value) {
        Map<String, Object> changed = new LinkedHashMap<>(table);
        changed.put(key, value);
        return changed;
    }

    /** One or more of each kind, and every word. Null is the null of YAML. */
    private static Set<Object> values() {
        Set<Object> values = new LinkedHashSet<>(Arrays.asList(
                null,
                true,
                false,
                0,
                1,
                -1,
                1.5,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE + 1L,
                "",
                " ",
                " a",
                "a ",
                "a b",
                "a\nb",
                "a\tb",
                "a\u0085b",
                "true",
                "0",
                "10",
                "10s",
                "10 s",
                "10s ",
                "500ms",
                "2m",
                "1h",
                "s",
                "10x",
                "10 s x",
                "PT10S",
                "PT1M1.5S",
                "PT",
                "PTS",
                "pt10s",
                "P1D",
                "PT-5S",
                "99999h",
                "1ms",
                "orders",
                "a",
                "b",
                "jdbc",
                "a{x}",
                "a{x}b",
                "r/{x}",
                "{x}{x}",
                "a{x}b{x}",
                "a*",
                "*",
                "**",
                "***",
                "a{{x}}",
                "{",
                "}",
                "{}",
                "{x",
                "a-{x-y}",
                "jdbc:postgresql://*/x",
                "jdbc:postgresql:x?y=z",
                "jdbc:mysql://x/y",
                "postgresql://x",
                "j*",
                "PT+5S",
                "PT1H-59M",
                "n".repeat(100),
                "n".repeat(101),
                "jdbc:postgresql:" + "x".repeat(484),
                "jdbc:postgresql:" + "x".repeat(485),
                List.of(),
                List.of("a"),
                List.of("a", "a"),
                List.of("b"),
                List.of(1),
                List.of(""),
                List.of(List.of("a")),
                Map.of(),
                Map.of("a", "b"),
                Collections.nCopies(101, "a"),
                Long.MAX_VALUE,
                new BigInteger("9223372036854775808"),
                "A_KEY",
                "A KEY",
                "1KEY",
                "K".repeat(100),
                "K".repeat(101),
                List.of("A_KEY"),
                List.of("A_KEY", "B_KEY"),
                List.of("A_KEY", "B_KEY", "C_KEY"),
                List.of("A_KEY", "A_KEY"),
                "GET",
                "get",
                List.of("GET"),
                List.of("GET", "POST"),
                List.of("GET", "GET"),
                List.of("get"),
                "192.0.2.0/24",
                "192.0.2.1/24",
                "192.0.2.0/33",
                "::1/128",
                List.of("192.0.2.0/24", "2001:db8::/32"),
                "/a",
                "/a/**",
                "/a/***",
                "/a//b",
                "/a/../b",
                "/a/..",
                "/.",
                "/.a/..b/c.",
                "/a%2Fb",
                "/a%b",
                "/a?b",
                "/a;b",
                "/a{b}",
                "/" + "a".repeat(199),
                "/" + "a".repeat(200),
                "https://a/**",
                "*://*:*/a/*",
                "https://a",
                "https://a/?b",
                "https://a@b/",
                "https://a/@b",
                "https://a/..",
                "https://a/b;c",
                "ftp://a/",
                "https:///a",
                "https://a/***",
                "https://a/" + "a".repeat(490),
                "https://a/" + "a".repeat(491),
                "com.acme.*",
                "com.acme.**",
                "com.acme.A$B",
                "com.acme.A#a",
                "a b.*",
                "a".repeat(300),
                "a".repeat(301),
                List.of("com.acme.*", "*"),
                List.of("com.acme.*", "com.acme.*"),
                List.of(anHttpTarget()),
                List.of(believingNobody()),
                Map.of("exclude", "com.acme.*"),
                List.of(aLock()),
                List.of(aTarget()),
                List.of(Map.of("name", "x")),
                Collections.singletonList(null)));
        values.addAll(METHODS);
        values.addAll(LEASES);
        for (String method : METHODS) {
            values.add(List.of(method));
        }
        values.add(List.of("com.acme.A#a()", "com.acme.A#b()"));
        values.add(List.of("com.acme.A#a()", "com.acme.A#a()"));
        for (Class<? extends Enum<?>> words : List.<Class<? extends Enum<?>>>of(
                Mode.class,
                ClaimAt.class,
                Ends.class,
                Unleased.class,
                Expired.class,
                HeldWhen.class,
                LeaseScope.class,
                AfterRelease.class,
                Trust.class)) {
            for (String word : Words.all(words)) {
                values.add(word);
                values.add(word.toUpperCase(java.util.Locale.ROOT));
            }
        }
        values.addAll(Rules.LIBRARIES);
        return values;
    }

    private static List<String> words(JsonNode property) {
        return property.get("enum").valueStream().map(JsonNode::asString).toList();
    }

    /** A YAML text as a validator of an editor sees it, and where each part of it stands. */
    private static final class Tree {
        private static final LoadSettings CORE = LoadSettings.builder()
                .setSchema(new CoreSchema())
                .setAllowNonScalarKeys(true)
                .build();

        final JsonNode json;
        private final Map<String, Set<Integer>> lines = new LinkedHashMap<>();

        Tree(String text) {
            Node root = new Compose(CORE).composeString(text).orElseThrow();
            json = json(root, "", line(root));
        }

        private static int line(Node node) {
            return node.getStartMark().orElseThrow().getLine() + 1;
        }

        /** The lines on which the loader may speak of what the error is about. */
        Set<Integer> around(Error error) {
            StringBuilder at = new StringBuilder();
            for (int i = 0; i < error.getInstanceLocation().getNameCount(); i++) {
                at.append('/').append(error.getInstanceLocation().getElement(i));
            }
            if (error.getKeyword().equals("additionalProperties")) {
                return lines.get(at + "/" + error.getProperty() + "#key");
            }
            boolean around = List.of("required", "not", "uniqueItems").contains(error.getKeyword());
            if (around || error.getEvaluationPath().toString().contains("anyOf")) {
                return lines.get(at + "#all");
            }
            return lines.get(at.toString());
        }

        private JsonNode json(Node node, String at, int from) {
            lines.putIfAbsent(at, new TreeSet<>(List.of(line(node), from)));
            Set<Integer> all = new TreeSet<>();
            for (int line = line(node); line <= node.getEndMark().orElseThrow().getLine() + 1; line++) {
                all.add(line);
            }
            lines.putIfAbsent(at + "#all", all);
            if (node instanceof MappingNode table) {
                ObjectNode object = JsonNodeFactory.instance.objectNode();
                for (NodeTuple entry : table.getValue()) {
                    String key = entry.getKeyNode() instanceof ScalarNode name
                            ? name.getValue()
                            : entry.getKeyNode().toString();
                    lines.putIfAbsent(at + "/" + key + "#key", Set.of(line(entry.getKeyNode())));
                    JsonNode value = json(entry.getValueNode(), at + "/" + key, line(entry.getValueNode()));
                    if (!object.has(key)) {
                        object.set(key, value);
                    }
                }
                return object;
            }
            if (node instanceof SequenceNode list) {
                ArrayNode array = JsonNodeFactory.instance.arrayNode();
                for (Node item : list.getValue()) {
                    array.add(json(item, at + "/" + array.size(), line(item)));
                }
                return array;
            }
            return scalar((ScalarNode) node);
        }

        private static JsonNode scalar(ScalarNode node) {
            JsonNodeFactory make = JsonNodeFactory.instance;
            String text = node.getValue();
            if (node.getTag().equals(Tag.NULL)) {
                return make.nullNode();
            } else if (node.getTag().equals(Tag.BOOL)) {
                return make.booleanNode(text.equalsIgnoreCase("true"));
            } else if (node.getTag().equals(Tag.INT)) {
                return make.numberNode(
                        text.startsWith("0x")
                                ? new BigInteger(text.substring(2), 16)
                                : text.startsWith("0o") ? new BigInteger(text.substring(2), 8) : new BigInteger(text));
            } else if (node.getTag().equals(Tag.FLOAT)) {
                return make.numberNode(text.matches("[-+.0-9eE]+") ? Double.parseDouble(text) : Double.NaN);
            }
            return make.stringNode(text);
        }
    }
}
