/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** A real shell completes what a user has typed. */
class CompletionTest {
    @TempDir
    Path directory;

    @Test
    void commandsAreCompleted() throws Exception {
        assertThat(completed("lockfence", "")).contains("check", "ddl", "schema", "completion", "help");
        assertThat(completed("lockfence", "sc")).contains("schema").doesNotContain("check");
    }

    @Test
    void everyCommandAndOptionIsCompleted() throws Exception {
        CommandLine main = new CommandLine(new Main());
        for (CommandLine command : main.getSubcommands().values()) {
            String name = command.getCommandName();
            if (name.equals("help")) {
                continue;
            }
            List<String> options = command.getCommandSpec().options().stream()
                    .map(option -> option.longestName())
                    .toList();
            assertThat(completed("lockfence", name, "--"))
                    .as(name)
                    .containsAll(options)
                    .contains("--help");
        }
    }

    @Test
    void wordsAreCompleted() throws Exception {
        assertThat(completed("lockfence", "ddl", "--database", "")).containsExactly("postgresql");
        assertThat(completed("lockfence", "completion", "z")).containsExactly("zsh");
    }

    @Test
    void theShellGetsTheCommandIfItHasNone() throws Exception {
        Path jar = Files.createFile(directory.resolve("it's lockfence.jar"));
        Path script = directory.resolve("script");
        Files.writeString(script, completion().script(jar.toString()));

        assertThat(bash("source '" + script + "'; java() { printf '<%s>' \"$@\"; }; lockfence check 'a b'"))
                .isEqualTo("<-jar><" + jar + "><check><a b>");
        assertThat(bash("lockfence() { echo mine; }; source '" + script + "'; lockfence check"))
                .isEqualTo("mine\n");
    }

    @Test
    void theScriptIsPrintedForEitherShell() {
        String bash = printed("completion", "bash");

        assertThat(bash).contains("complete -F _complete_lockfence", "ZSH_VERSION");
        assertThat(printed("completion", "zsh")).isEqualTo(bash);
        assertThat(printed("completion")).isEqualTo(bash);
    }

    private static Completion completion() {
        CommandLine main = new CommandLine(new Main());
        return main.getSubcommands().get("completion").getCommand();
    }

    private static String printed(String... arguments) {
        StringWriter out = new StringWriter();
        assertThat(Main.run(Ansi.OFF, new PrintWriter(out), new PrintWriter(new StringWriter()), arguments))
                .isZero();
        return out.toString();
    }

    /** What bash offers for the last word. */
    private List<String> completed(String... words) throws Exception {
        Path script = directory.resolve("completion");
        Files.writeString(script, completion().script(""));
        StringBuilder typed = new StringBuilder();
        for (String word : words) {
            typed.append(" '").append(word).append("'");
        }
        return bash("source '" + script + "'; COMP_WORDS=(" + typed + "); COMP_CWORD=" + (words.length - 1)
                        + "; _complete_lockfence; printf '%s\\n' \"${COMPREPLY[@]}\"")
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
    }

    private static String bash(String command) throws IOException, InterruptedException {
        Process bash = new ProcessBuilder("bash", "--norc", "--noprofile", "-c", command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        bash.getOutputStream().close();
        String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return said;
    }
}
