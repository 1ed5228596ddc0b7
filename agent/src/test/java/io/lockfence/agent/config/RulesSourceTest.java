/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesSourceTest {
    @TempDir
    Path directory;

    private final Properties system = new Properties();

    @BeforeEach
    void filesOfEveryOrigin() throws IOException {
        for (String name : new String[] {"argument", "property", "variable"}) {
            Files.writeString(directory.resolve(name + ".yaml"), "mode: enforce\n");
        }
    }

    @Test
    void withoutAFileEverythingIsObserved() throws RulesException {
        RulesSource source = find(null, Map.of());

        assertThat(source.file()).isNull();
        Rules rules = source.load();
        assertThat(rules).usingRecursiveComparison().isEqualTo(Rules.observeEverything());
        assertThat(rules.mode()).isEqualTo(Mode.OBSERVE);
        assertThat(rules.lockRule("redisson", "any")).map(LockRule::mode).contains(Mode.OBSERVE);
        assertThat(rules.target("jdbc:postgresql://db/any"))
                .map(TargetRule::name)
                .contains("jdbc");
        assertThat(rules.source()).isEqualTo("no rules file");
    }

    @Test
    void theMoreExplicitOriginWins() throws Exception {
        Files.writeString(directory.resolve("lockfence.yaml"), "mode: enforce\n");
        assertThat(find("", Map.of())).isEqualTo(new RulesSource(file("lockfence.yaml"), "working directory"));

        Map<String, String> environment = Map.of("LOCKFENCE_CONFIG", "variable.yaml");
        assertThat(find(null, environment))
                .isEqualTo(new RulesSource(file("variable.yaml"), "environment variable LOCKFENCE_CONFIG"));

        system.setProperty("lockfence.config", file("property.yaml").getAbsolutePath());
        assertThat(find(null, environment))
                .isEqualTo(new RulesSource(file("property.yaml"), "system property lockfence.config"));

        assertThat(find("config=argument.yaml", environment))
                .isEqualTo(new RulesSource(file("argument.yaml"), "agent argument config"));
    }

    @Test
    void anEmptyVariableIsNotSet() throws RulesException {
        assertThat(find(null, Map.of("LOCKFENCE_CONFIG", " ")).file()).isNull();
    }

    @Test
    void anEmptyPropertyIsAMistake() {
        system.setProperty("lockfence.config", "");

        assertThatThrownBy(() -> find(null, Map.of()))
                .isInstanceOf(RulesException.class)
                .hasMessage("-Dlockfence.config: it is empty; expected the path of the rules file");
    }

    @Test
    void aFileThatIsNamedMustExist() throws RulesException {
        RulesSource source = find("config=nowhere.yaml", Map.of());

        assertThatThrownBy(source::load)
                .isInstanceOf(RulesException.class)
                .hasMessageStartingWith(file("nowhere.yaml") + ": the file does not exist");
    }

    @Test
    void aPathMayHoldEqualsSignsAndBlanks() throws Exception {
        Files.writeString(directory.resolve("a=b c.yaml"), "mode: shadow\n");

        assertThat(find("config=a=b c.yaml", Map.of()).load().mode()).isEqualTo(Mode.SHADOW);
    }

    @Test
    void rulesKnowTheirFile() throws RulesException {
        assertThat(find("config=argument.yaml", Map.of()).load().source())
                .isEqualTo(file("argument.yaml").getPath());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "confg=a.yaml | unknown agent argument 'confg'; expected config=PATH; a path with a comma goes into -Dlockfence.config; did you mean 'config'?",
                "/etc/lockfence.yaml | unknown agent argument '/etc/lockfence.yaml'; expected config=PATH; a path with a comma goes into -Dlockfence.config; did you mean 'config=/etc/lockfence.yaml'?",
                "config=a,b.yaml | unknown agent argument 'b.yaml'; expected config=PATH; a path with a comma goes into -Dlockfence.config; did you mean 'config=b.yaml'?",
                "config= | agent argument 'config' has no value; expected config=PATH",
                "config | agent argument 'config' has no value; expected config=PATH",
                "config=a,config=b | agent argument 'config' stands twice; remove one",
                "config=a, | unknown agent argument ''; expected config=PATH; a path with a comma goes into -Dlockfence.config",
            })
    void wrongAgentArgumentsAreNamed(String arguments, String said) {
        assertThatThrownBy(() -> find(arguments, Map.of()))
                .isInstanceOf(RulesException.class)
                .hasMessage("-javaagent: " + said);
    }

    private RulesSource find(String arguments, Map<String, String> environment) throws RulesException {
        return RulesSource.find(arguments, system, environment, directory.toFile());
    }

    private File file(String name) {
        return directory.resolve(name).toFile();
    }
}
