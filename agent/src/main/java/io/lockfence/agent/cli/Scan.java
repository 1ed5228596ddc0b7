/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.cli.scan.HtmlReport;
import io.lockfence.agent.cli.scan.JsonReport;
import io.lockfence.agent.cli.scan.Report;
import io.lockfence.agent.cli.scan.ScanResult;
import io.lockfence.agent.cli.scan.Scanner;
import io.lockfence.agent.config.Mode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reads a service's class files, and says where it locks, what it writes under its locks, what looks wrong, and which rules would fence it. */
@Command(
        name = "scan",
        description =
                "Reads the jars of a service, without loading or running anything of it: where it takes distributed locks, "
                        + "what it writes while it holds them, what looks wrong, and which rules would fence it.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Built.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:nothing looks wrong", "1:there are findings", "2:wrong usage, or a jar that cannot be read"},
        footer = {"%nExample:", "  java -jar lockfence.jar scan service.jar --rules lockfence.yaml --html scan.html"})
final class Scan implements Callable<Integer> {
    /** How the result is printed; as written on the command line. */
    enum Format {
        text,
        json
    }

    /** Modes of the proposed rules that make sense; as written on the command line. */
    enum Proposed {
        observe,
        shadow,
        enforce
    }

    @Parameters(
            arity = "1..*",
            paramLabel = "JAR",
            description = "a jar, fat jar or war of the service, or a directory of class files and jars")
    private List<Path> paths;

    @Option(
            names = "--own",
            paramLabel = "PACKAGE",
            description =
                    "classes whose names begin so are the service's own, in whichever jar they are; may be repeated. "
                            + "Default: those that lie directly in what is named, or in BOOT-INF/classes or WEB-INF/classes")
    private List<String> own = List.of();

    @Option(names = "--format", paramLabel = "NAME", description = "${COMPLETION-CANDIDATES}; default: text")
    private Format format = Format.text;

    @Option(names = "--html", paramLabel = "FILE", description = "write the result as one page to FILE, too")
    private Path html;

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description = "write the proposed rules to FILE, which must not be there yet")
    private Path rules;

    @Option(
            names = "--mode",
            paramLabel = "NAME",
            description = "of the proposed rules: ${COMPLETION-CANDIDATES}; default: enforce")
    private Proposed mode = Proposed.enforce;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Main.mustExist(spec, paths);
        if (rules != null && Files.exists(rules)) {
            throw new ParameterException(spec.commandLine(), "is there already, and may hold rules of yours: " + rules);
        }
        ScanResult result = new Scanner(paths, own, Mode.valueOf(mode.name().toUpperCase(Locale.ROOT))).scan();
        PrintWriter out = spec.commandLine().getOut();
        if (format == Format.json) {
            out.print(JsonReport.of(result));
        } else {
            Report.of(result).forEach(out::println);
        }
        out.flush();
        if (html != null) {
            Files.writeString(html, HtmlReport.of(result), StandardCharsets.UTF_8);
        }
        if (rules != null) {
            Files.writeString(rules, result.rules(), StandardCharsets.UTF_8);
        }
        return result.findings().isEmpty() ? 0 : Main.FINDINGS;
    }
}
