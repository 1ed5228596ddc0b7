/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Help.Ansi;

/** What can be told without a JVM to attach to; the rest is in the integration tests. */
class AttachTest {
    @TempDir
    Path directory;

    private record Ended(int code, String out, String err) {}

    private static Ended attach(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] all = new String[arguments.length + 1];
        all[0] = "attach";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        int code = Main.run(Ansi.OFF, new PrintWriter(out), new PrintWriter(err), all);
        return new Ended(code, out.toString(), err.toString());
    }

    @Test
    void aProcessMustBeThere() {
        assertThat(attach("4194305", "--mode", "observe"))
                .isEqualTo(new Ended(2, "", "lockfence: there is no process 4194305" + System.lineSeparator()));
    }

    @Test
    void aProcessMustBeNamedByItsNumber() {
        assertThat(attach("stock.jar"))
                .satisfies(ended -> assertThat(ended.code()).isEqualTo(2))
                .satisfies(ended -> assertThat(ended.err()).contains("'stock.jar' is not a long"));
        assertThat(attach().err()).contains("Missing required parameter: 'PID'");
    }

    /** It would be ended by the signal that asks a JVM to let itself be attached to. */
    @Test
    void aProcessThatIsNoJvmIsLeftAlone() throws Exception {
        Process other = new ProcessBuilder("sleep", "600").start();
        try {
            Ended ended = attach(Long.toString(other.pid()));

            assertThat(ended.code()).isEqualTo(2);
            assertThat(ended.err()).startsWith("lockfence: process " + other.pid() + " is not a JVM, but ");
            assertThat(other.isAlive()).isTrue();
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void theCommandDoesNotAttachToItself() {
        assertThat(attach(Long.toString(ProcessHandle.current().pid())).err()).contains("is this command itself");
    }

    @Test
    void rulesAreCheckedBeforeAnythingIsTouched() throws Exception {
        Path rules = Files.writeString(directory.resolve("rules.yaml"), "mode: enforced\n");

        Ended ended = attach("4194305", "--rules", rules.toString());

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .startsWith(rules + ":1:7: 'mode' is 'enforced'; expected one of off, observe, shadow, enforce; did you"
                        + " mean 'enforce'?")
                .contains("nothing has changed in the JVM");
        assertThat(attach("4194305", "--rules", directory.resolve("absent.yaml").toString())
                        .out())
                .contains("absent.yaml", "does not exist");
    }

    @Test
    void aModeIsOneOfFour() {
        assertThat(attach("4194305", "--mode", "report").err())
                .contains("Invalid value for option '--mode': expected one of [off, observe, shadow, enforce]");
    }
}
