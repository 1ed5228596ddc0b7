/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints what a database needs before its writes can be fenced. */
@Command(
        name = "ddl",
        description =
                "Prints the SQL that makes the fence table and its routines in a database: run it once, as the owner, "
                        + "in each database that rules protect. Running it again brings the routines up to date and keeps the fences.",
        mixinStandardHelpOptions = true,
        customSynopsis = "java -jar lockfence.jar ddl [-hV] --database=NAME",
        versionProvider = Main.Built.class,
        footer = {"%nExample:", "  java -jar lockfence.jar ddl --database postgresql | psql orders"})
final class Ddl implements Callable<Integer> {
    /** Databases that can be fenced; as written on the command line. */
    enum Database {
        postgresql
    }

    @Option(names = "--database", paramLabel = "NAME", description = "which database: ${COMPLETION-CANDIDATES}")
    private Database database;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        // Not "required" for picocli: of a misspelt --database it would only say that the right one is missing.
        if (database == null) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--database=NAME'");
        }
        String resource = "/io/lockfence/agent/fence/" + database + "/ddl.sql";
        try (InputStream sql = Ddl.class.getResourceAsStream(resource)) {
            if (sql == null) {
                throw new FileNotFoundException(resource + " is not in this jar");
            }
            spec.commandLine().getOut().print(new String(sql.readAllBytes(), StandardCharsets.UTF_8));
            spec.commandLine().getOut().flush();
        }
        return 0;
    }
}
