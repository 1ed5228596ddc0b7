/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.RulesException;
import io.lockfence.agent.config.RulesLoader;
import java.io.File;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reads rules files as the agent would, and says what is wrong with them or what they mean. */
@Command(
        name = "check",
        description =
                "Reads rules files as the agent does at start-up: prints every problem with its line and column, and "
                        + "for a file without problems what its rules mean.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Built.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every file is fine", "1:a file has problems", "2:wrong usage"})
final class Check implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "FILE", description = "a rules file, such as lockfence.yaml")
    private List<File> files;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        int code = 0;
        for (File file : files) {
            try {
                Rules rules = RulesLoader.load(file);
                out.println(file + ": fine");
                Meaning.of(rules).forEach(line -> out.println("  " + line));
            } catch (RulesException e) {
                e.lines().forEach(out::println);
                int count = e.problems().size();
                out.println(file + ": " + (count == 1 ? "1 problem" : count + " problems")
                        + "; a service with this file " + (e.strict() ? "does not start" : "runs unfenced"));
                code = Main.FINDINGS;
            }
        }
        out.flush();
        return code;
    }
}
