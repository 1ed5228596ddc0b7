/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import java.io.File;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what makes a shell complete the commands and options of Lockfence. */
@Command(
        name = "completion",
        description =
                "Prints a script that gives the shell a command 'lockfence', unless it has one already, and completes its commands, options "
                        + "and words. The same script serves both shells.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Built.class,
        footer = {
            "%nIn ~/.bashrc or ~/.zshrc:",
            "  source <(java -jar /path/to/lockfence.jar completion)",
            "which starts a JVM with each shell; or, once:",
            "  java -jar /path/to/lockfence.jar completion > ~/.lockfence-completion",
            "and in ~/.bashrc or ~/.zshrc:",
            "  source ~/.lockfence-completion"
        })
final class Completion implements Callable<Integer> {
    /** What the command is called in a shell; {@code java -jar lockfence.jar} cannot be completed. */
    private static final String NAME = "lockfence";

    /** Shells that can be completed; as written on the command line. */
    enum Shell {
        bash,
        zsh
    }

    @Parameters(
            arity = "0..1",
            paramLabel = "SHELL",
            description = "which shell: ${COMPLETION-CANDIDATES}; the script is the same")
    private Shell shell;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().getOut().print(script(System.getProperty("java.class.path", "")));
        spec.commandLine().getOut().flush();
        return 0;
    }

    /**
     * The script.
     *
     * @param classPath of this JVM: the jar alone, if it was started with {@code -jar}
     */
    String script(String classPath) {
        String completion = AutoComplete.bash(NAME, spec.root().commandLine()).replace("\r\n", "\n");
        return command(classPath) + completion;
    }

    private static String command(String classPath) {
        File jar = new File(classPath);
        if (!jar.isFile()) {
            return "";
        }
        String path = "'" + jar.getAbsolutePath().replace("'", "'\\''") + "'";
        return "command -v " + NAME + " > /dev/null 2>&1 || " + NAME + "() { java -jar " + path + " \"$@\"; }\n\n";
    }
}
