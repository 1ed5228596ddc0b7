/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RulesDocumentationTest {
    private static final Path DOCS = Path.of("../docs");

    @Test
    void theExampleIsAGoodFileThatShowsEveryKey() throws Exception {
        Rules rules = RulesLoader.load(new File("../docs/lockfence.example.yaml"));

        assertThat(rules.lockRule("redisson", "order:42").orElseThrow().resourceOf("order:42"))
                .contains("orders/42");
        assertThat(rules.lockRule("redisson", "{prices}:eu").orElseThrow().resourceOf("{prices}:eu"))
                .contains("prices/eu");
        String text = Files.readString(DOCS.resolve("lockfence.example.yaml"));
        assertThat(keys()).allSatisfy(key -> assertThat(text).containsPattern("(?m)^[ -]*" + key + ":"));
    }

    @Test
    void theExampleWritesTheDefaultsThatItClaims() throws Exception {
        Rules example = RulesLoader.load(new File("../docs/lockfence.example.yaml"));

        assertThat(example.claimTimeout()).isEqualTo(Rules.CLAIM_TIMEOUT);
        assertThat(example.guardIdle()).isEqualTo(Rules.GUARD_IDLE);
    }

    @Test
    void everyFileInTheGuideIsGood() throws Exception {
        List<String> files = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
                .matcher(guide())
                .results()
                .map(result -> result.group(1))
                .toList();

        assertThat(files).hasSizeGreaterThanOrEqualTo(3);
        for (String file : files) {
            assertThat(RulesLoader.parse(file, "rules.md").source()).isEqualTo("rules.md");
        }
    }

    @Test
    void theGuideExplainsEveryKeyAndNoOther() throws Exception {
        List<String> explained = Pattern.compile("(?m)^\\| `(\\w+)` \\|")
                .matcher(guide())
                .results()
                .map((MatchResult result) -> result.group(1))
                .distinct()
                .toList();

        assertThat(explained).containsExactlyInAnyOrderElementsOf(keys());
    }

    @Test
    void theProblemInTheGuideIsWhatIsSaid() throws IOException {
        String file =
                "mode: enforce\n\nlocks:\n  - name: orders\n    library: redisson\n    key: order\n    protect: [a]\n";

        try {
            RulesLoader.parse(file, "lockfence.yaml");
        } catch (RulesException e) {
            assertThat(guide()).contains(e.lines());
            return;
        }
        throw new AssertionError("a misspelt key passed");
    }

    /** As messages list them. */
    private static List<String> keys() {
        String top = expected("x: 1");
        String lock = expected("locks: [{x: 1}]");
        String target = expected("targets: [{x: 1}]");
        String receive = expected("receive: [{x: 1}]");
        return Stream.concat(
                        Stream.of(top, lock, target, receive)
                                .flatMap(said -> Stream.of(said.substring("expected one of ".length())
                                        .split(", "))),
                        RulesReader.PROPAGATE_KEYS.stream())
                .distinct()
                .toList();
    }

    private static String expected(String file) {
        try {
            RulesLoader.parse(file, "lockfence.yaml");
        } catch (RulesException e) {
            return e.problems().stream()
                    .filter(problem -> problem.what().startsWith("unknown key"))
                    .findFirst()
                    .orElseThrow()
                    .expected();
        }
        throw new AssertionError("an unknown key passed: " + file);
    }

    private static String guide() throws IOException {
        return Files.readString(DOCS.resolve("rules.md"));
    }
}
