/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.report.Version;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line. */
@Command(
        name = "java -jar lockfence.jar",
        description = "Makes the distributed locks of JVM services safe at the resource. To run a service with it: "
                + "java -javaagent:lockfence.jar -jar service.jar",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Built.class,
        subcommands = {
            Check.class,
            Scan.class,
            Ddl.class,
            Doctor.class,
            Raise.class,
            Attach.class,
            Schema.class,
            Completion.class,
            HelpCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:fine", "1:there are findings", "2:wrong usage, or a failure of the command itself"})
public final class Main implements Runnable {
    static final int FINDINGS = 1;
    static final int FAILURE = 2;

    @Spec
    private CommandSpec spec;

    /** Says which Lockfence this is. */
    static final class Built implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"lockfence " + Version.current()};
        }
    }

    /** Called by the jar's main class, in the isolated loader. Ends the JVM. */
    public static void start(String[] arguments) {
        PrintWriter out = new PrintWriter(System.out, true);
        PrintWriter err = new PrintWriter(System.err, true);
        int code = run(System.console() == null ? Ansi.OFF : Ansi.AUTO, out, err, arguments);
        out.flush();
        err.flush();
        System.exit(code);
    }

    /** Runs one command and answers with its exit code. */
    static int run(Ansi ansi, PrintWriter out, PrintWriter err, String... arguments) {
        CommandLine line = new CommandLine(new Main())
                .setOut(out)
                .setErr(err)
                .setColorScheme(CommandLine.Help.defaultColorScheme(ansi))
                .setUsageHelpAutoWidth(false)
                .setExecutionExceptionHandler((thrown, failed, parsed) -> {
                    failed.getErr().println("lockfence: " + thrown);
                    return FAILURE;
                });
        return line.execute(arguments);
    }

    /** A path that a command was given and that is not there is wrong usage. */
    static void mustExist(CommandSpec command, List<Path> paths) {
        for (Path path : paths) {
            if (!Files.exists(path)) {
                throw new ParameterException(command.commandLine(), "not there: " + path);
            }
        }
    }

    /** Without a command. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which command?");
    }
}
