/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.fence.Dialect;
import io.lockfence.agent.fence.Readiness;
import io.lockfence.agent.fence.postgresql.PostgresDialect;
import io.lockfence.agent.report.Redact;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The operator's way out when a coordinator was replaced, or restored from a backup: puts the fences above every number that it has given. */
@Command(
        name = "raise",
        description =
                "Raises fences of a database to a generation, after the coordinator of their locks was replaced or restored from a backup. Whoever holds a "
                        + "lease of a lower generation is refused from then on; instances whose rules have the new 'generation' go on. Never lowers a fence. "
                        + "What was changed, by whom and why is kept in the table lockfence.audit, in the same transaction.",
        mixinStandardHelpOptions = true,
        customSynopsis =
                "java -jar lockfence.jar raise [-hV] [--dry-run] --url=URL --driver=JAR [--driver=JAR]... --resource=PATTERN [--resource=PATTERN]... --generation=N [--token=N] --reason=TEXT",
        versionProvider = Main.Built.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every fence is where it was to be",
            "1:some are not, and running it again goes on; or none has such a name: the output says which",
            "2:wrong usage"
        },
        footer = {
            "%nEnvironment:",
            "  LOCKFENCE_OWNER_USER, LOCKFENCE_OWNER_PASSWORD   the role that owns the fence; never options, which other users of the machine can see",
            "%nExample, after etcd was restored from a snapshot:",
            "  1. java -jar lockfence.jar raise --driver postgresql-42.7.14.jar --url jdbc:postgresql://db/orders \\",
            "       --resource 'orders/*' --generation 1 --reason 'etcd restored from the snapshot of 3 May'",
            "  2. set 'generation: 1' in the rule of the lock, and restart the instances"
        })
final class Raise implements Callable<Integer> {
    private static final String USER = "LOCKFENCE_OWNER_USER";
    private static final String PASSWORD = "LOCKFENCE_OWNER_PASSWORD";

    @Option(names = "--url", paramLabel = "URL", description = "of the database that holds the fences")
    private String url;

    @Option(
            names = "--driver",
            paramLabel = "JAR",
            description = "the PostgreSQL JDBC driver; again for jars that it needs")
    private List<File> drivers = new ArrayList<>();

    @Option(
            names = "--resource",
            paramLabel = "PATTERN",
            description = "names of resources as the fence has them, * for anything: 'orders/*'; again for more")
    private List<String> resources = new ArrayList<>();

    @Option(
            names = "--generation",
            paramLabel = "N",
            description = "as the rule of the lock will have it: above that of now; or the same, with --token")
    private Integer generation;

    @Option(
            names = "--token",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "the highest token that counts as given; default: ${DEFAULT-VALUE}, the first of the generation is let by")
    private long token;

    @Option(names = "--reason", paramLabel = "TEXT", description = "for the audit, and for whoever is refused")
    private String reason;

    @Option(names = "--dry-run", description = "says what would be raised, and changes nothing")
    private boolean dryRun;

    @Spec
    private CommandSpec spec;

    private final Map<String, String> environment;
    private final Dialect dialect = new PostgresDialect();

    Raise() {
        this(System.getenv());
    }

    /** @param environment where credentials are */
    Raise(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        arguments();
        try (ServiceDriver driver = ServiceDriver.load(drivers, url);
                Connection connection =
                        driver.connect(dialect, url, environment.get(USER), environment.get(PASSWORD))) {
            Readiness readiness = dialect.sql().readiness(connection);
            switch (readiness.state()) {
                case MISSING, SERVER_TOO_OLD, STANDBY, READ_ONLY -> {
                    out().println(readiness.message() + ".");
                    return Main.FINDINGS;
                }
                case READY, NO_RIGHTS, OUTDATED -> {}
            }
            return raise(new RaisePostgresql(connection, generation, token, reason.strip()));
        } catch (ServiceDriver.Unusable e) {
            throw usage(e.getMessage());
        } catch (SQLException e) {
            out().println("failed: " + message(e) + ".");
            if ("42501".equals(e.getSQLState())) {
                out().println("Connect as the role that owns the fence: set " + USER + " and " + PASSWORD + ".");
            }
            return Main.FINDINGS;
        }
    }

    private void arguments() {
        if (url == null || !dialect.speaks(url)) {
            throw usage("which database? --url jdbc:postgresql://HOST/DATABASE"
                    + (url == null ? "" : ", not " + Redact.url(url)));
        }
        if (Doctor.hasCredentials(url)) {
            throw usage("credentials do not belong on the command line, where other users see them: put them into "
                    + USER + " and " + PASSWORD);
        }
        if (drivers.isEmpty()) {
            throw usage("no JDBC driver: name one with --driver postgresql-42.7.14.jar; Lockfence brings none");
        }
        if (resources.isEmpty() || resources.stream().anyMatch(String::isBlank)) {
            throw usage("which fences? --resource 'orders/*'; all of the database: --resource '*'");
        }
        if (generation == null || generation < 0) {
            throw usage("to which generation? --generation N, a whole number, 0 to " + Integer.MAX_VALUE);
        }
        if (token < 0) {
            throw usage("a token is 0 or above: --token " + token);
        }
        if (reason == null || reason.isBlank()) {
            throw usage("why? --reason 'etcd restored from a snapshot': it is kept with what is changed");
        }
    }

    private int raise(RaisePostgresql database) throws SQLException {
        List<RaisePostgresql.Fence> found = database.find(resources);
        if (found.isEmpty()) {
            out().println("No fence here has a name like " + String.join(" or ", resources)
                    + ". Look at 'SELECT resource FROM lockfence.fence' for those that there are, and at the database: a resource that nobody has claimed yet"
                    + " has no fence, takes whatever comes first, and needs no raise.");
            return Main.FINDINGS;
        }
        if (!dryRun && !found.stream().allMatch(database::isReached)) {
            database.prepare();
        }
        int raised = 0;
        int there = 0;
        int failed = 0;
        for (RaisePostgresql.Fence fence : found) {
            if (database.isReached(fence)) {
                there++;
                out().println("  stays   " + fence);
                continue;
            }
            try {
                if (!dryRun && !database.raise(fence.resource())) {
                    there++;
                    out().println("  stays   " + fence.resource() + ": somebody has raised it meanwhile");
                    continue;
                }
                raised++;
                out().println((dryRun ? "  would be raised   " : "  raised  ") + fence);
            } catch (SQLException e) {
                failed++;
                out().println("  FAILED  " + fence.resource() + ": " + message(e));
            }
        }
        out().println((dryRun ? "Would be raised" : "Raised") + " to generation " + generation
                + (token > 0 ? ", token " + token : "") + ": " + raised
                + "; stays, as it is there or above: "
                + there + (failed > 0 ? "; failed: " + failed + ", run it again" : "") + ".");
        if (raised > 0 && !dryRun) {
            out().println(
                            "Set 'generation: " + generation
                                    + "' in the rule of the lock on all instances; those with a lower one are refused. What was changed stands in lockfence.audit.");
        }
        return failed == 0 ? 0 : Main.FINDINGS;
    }

    private String message(SQLException e) {
        String password = environment.get(PASSWORD);
        String first = DoctorPostgresql.firstLine(e.getMessage());
        return (password == null || password.isEmpty() ? first : first.replace(password, "***")) + " ("
                + e.getSQLState() + ")";
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
