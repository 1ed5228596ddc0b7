/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each file in {@code wrong/} ends with what must be said about it, in lines that start with {@code #!}. */
class WrongRulesFilesTest {
    private static final Path CASES = Path.of("src/test/resources/io/lockfence/agent/config/wrong");
    private static final String EXPECTED = "#! ";

    static Stream<Path> cases() throws IOException {
        return Files.list(CASES).sorted();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void everyProblemIsNamedWithItsPlaceAndWhatWasExpected(Path file, @TempDir Path directory) throws IOException {
        String text = Files.readString(file);
        int end = text.indexOf(EXPECTED);
        assertThat(end).as("expectations in %s", file).isNotNegative();
        Path wrong = directory.resolve("lockfence.yaml");
        Files.writeString(wrong, text.substring(0, end));

        RulesException refused = catchThrowableOfType(RulesException.class, () -> RulesLoader.load(wrong.toFile()));

        List<String> expected = text.substring(end)
                .lines()
                .map(line -> line.substring(EXPECTED.length()))
                .map(line -> wrong + (Character.isDigit(line.charAt(0)) ? ":" : ": ") + line)
                .toList();
        assertThat(refused.lines()).containsExactlyElementsOf(expected);
        assertThat(refused).hasMessage(String.join(System.lineSeparator(), expected));
    }

    @Test
    void thereAreManyCases() throws IOException {
        assertThat(cases()).hasSizeGreaterThan(60);
    }

    @Test
    void strictIsKnownThoughTheFileIsBroken() {
        assertThat(refused("mode: enforced\nstrict: true\n").strict()).isTrue();
        assertThat(refused("strict: true # stop\nlocks: [\n").strict()).isTrue();
        assertThat(refused("mode: enforced\nstrict: false\n").strict()).isFalse();
        assertThat(refused("mode: enforced\nstrict: yes\n").strict()).isFalse();
        assertThat(refused("# strict: true\nlocks: [\n").strict()).isFalse();
    }

    @Test
    void anAliasOfItselfIsAWrongType() {
        assertThat(refused("locks: &locks\n  - *locks\n").lines())
                .containsExactly(
                        "lockfence.yaml:2:5: '*locks' refers to an anchor that does not stand before it; put text that starts with '*' in quotes");
    }

    @Test
    void credentialsInAWrongPatternAreNotShown() {
        assertThatThrownBy(() -> RulesLoader.parse(
                        "targets: [{name: a, jdbc: 'jdbc:oracle:thin:scott/hush@//db/x?password=hush'}]",
                        "lockfence.yaml"))
                .hasMessageNotContaining("hush")
                .hasMessageNotContaining("scott");
    }

    private static RulesException refused(String text) {
        return catchThrowableOfType(RulesException.class, () -> RulesLoader.parse(text, "lockfence.yaml"));
    }
}
