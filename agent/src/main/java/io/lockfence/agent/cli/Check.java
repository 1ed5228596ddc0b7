/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.cli.classes.ClassIndex;
import io.lockfence.agent.cli.scan.ScanResult;
import io.lockfence.agent.cli.scan.Scanner;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.RulesException;
import io.lockfence.agent.config.RulesLoader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reads rules files as the agent would, and says what is wrong with them or what they mean. */
@Command(
        name = "check",
        description =
                "Reads rules files as the agent does at start-up: prints every problem with its line and column, and "
                        + "for a file without problems what its rules mean. With --jar also what they match in a service's jars, "
                        + "of which nothing is loaded or run.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Built.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every file is fine",
            "1:a file has problems, or a rule matches nothing in the jars",
            "2:wrong usage, or a jar that cannot be read"
        })
final class Check implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "FILE", description = "a rules file, such as lockfence.yaml")
    private List<File> files;

    @Option(
            names = "--jar",
            arity = "1..*",
            paramLabel = "JAR",
            description =
                    "jars, fat jars or wars of the service, or directories of class files and jars; with the jars that they hold or name")
    private List<Path> jars = List.of();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Main.mustExist(spec, jars);
        PrintWriter out = spec.commandLine().getOut();
        ClassIndex index = jars.isEmpty() ? null : ClassIndex.read(jars);
        ScanResult scan = index == null ? null : new Scanner(jars, List.of(), Mode.ENFORCE).scan(index);
        int code = 0;
        for (File file : files) {
            try {
                Rules rules = RulesLoader.load(file);
                out.println(file + ": fine");
                Meaning.of(rules).forEach(line -> out.println("  " + line));
                if (index != null && !matches(rules, index, scan, out)) {
                    code = Main.FINDINGS;
                }
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

    /** @return whether every rule matches something */
    private boolean matches(Rules rules, ClassIndex index, ScanResult scan, PrintWriter out) throws IOException {
        JarCheck.Outcome outcome = JarCheck.of(rules, jars, index, scan);
        out.println("in the jars, " + index.all().size() + " classes:");
        index.notices().forEach(notice -> out.println("  note: " + notice));
        outcome.lines().forEach(line -> out.println("  " + line));
        return !outcome.failed();
    }
}
