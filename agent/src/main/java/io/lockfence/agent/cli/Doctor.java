/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static io.lockfence.agent.cli.DoctorFinding.finding;
import static io.lockfence.agent.cli.DoctorFinding.note;
import static io.lockfence.agent.cli.DoctorFinding.ok;

import io.lockfence.agent.config.JdbcDestination;
import io.lockfence.agent.config.JdbcPattern;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.RulesException;
import io.lockfence.agent.config.RulesLoader;
import io.lockfence.agent.config.RulesSource;
import io.lockfence.agent.config.TargetRule;
import io.lockfence.agent.fence.Dialect;
import io.lockfence.agent.fence.postgresql.PostgresDialect;
import io.lockfence.agent.report.Redact;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Connects to the databases of the rules, and says whether they can be fenced and what to do if not. */
@Command(
        name = "doctor",
        description =
                "Connects to each database of the rules as the service does, and verifies that it can be fenced: table, routines, rights, "
                        + "settings, clock. Prints what to do about each finding, and the SQL that is missing. Changes nothing.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Built.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every database can be fenced", "1:there are findings", "2:wrong usage"},
        footer = {
            "%nEnvironment:",
            "  LOCKFENCE_DOCTOR_USER, LOCKFENCE_DOCTOR_PASSWORD   as the service connects; never options, which other users of the machine can see",
            "  LOCKFENCE_DOCTOR_URL   URLs, with blanks between them, if there is no --url",
            "  Each with the name of a target behind it, for that one alone: LOCKFENCE_DOCTOR_PASSWORD_ORDERS_DB for target orders-db",
            "%nExample:",
            "  LOCKFENCE_DOCTOR_USER=orders LOCKFENCE_DOCTOR_PASSWORD=... java -jar lockfence.jar doctor lockfence.yaml \\",
            "    --driver postgresql-42.7.14.jar --url jdbc:postgresql://db/orders"
        })
final class Doctor implements Callable<Integer> {
    private static final String URL = "LOCKFENCE_DOCTOR_URL";
    private static final String USER = "LOCKFENCE_DOCTOR_USER";
    private static final String PASSWORD = "LOCKFENCE_DOCTOR_PASSWORD";

    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description =
                    "the rules file; default: as the agent looks for it, lockfence.yaml in the working directory at last")
    private File file;

    @Option(
            names = "--url",
            paramLabel = "[TARGET=]URL",
            description =
                    "where a database is, since rules hold patterns only; again for each database. Without TARGET: of the target that matches")
    private List<String> given = new ArrayList<>();

    @Option(
            names = "--driver",
            paramLabel = "JAR",
            description = "the PostgreSQL JDBC driver, best that of the service; again for jars that it needs")
    private List<File> drivers = new ArrayList<>();

    @Spec
    private CommandSpec spec;

    private final Map<String, String> environment;
    private final InstantSource clock;
    private final Dialect dialect = new PostgresDialect();
    private int findings;
    private int notes;
    /** SQL that is missing, with the databases that lack it. */
    private final Map<String, List<String>> missing = new LinkedHashMap<>();

    Doctor() {
        this(System.getenv(), InstantSource.system());
    }

    /**
     * @param environment where credentials are
     * @param clock of this machine
     */
    Doctor(Map<String, String> environment, InstantSource clock) {
        this.environment = environment;
        this.clock = clock;
    }

    /**
     * A database to look at.
     *
     * @param target which the user says it is; null if its URL decides
     */
    private record Place(TargetRule target, String url) {}

    @Override
    public Integer call() throws IOException {
        Rules rules;
        String source;
        try {
            RulesSource found = file == null
                    ? RulesSource.find(null, System.getProperties(), environment, new File("").getAbsoluteFile())
                    : new RulesSource(file, "argument");
            rules = found.file() == null ? Rules.observeEverything() : RulesLoader.load(found.file());
            source = found.file() == null
                    ? "none found: every JDBC database counts"
                    : found.file().getPath();
        } catch (RulesException e) {
            e.lines().forEach(out()::println);
            out().println("The rules must be mended first.");
            return Main.FINDINGS;
        }
        if (databases(rules).isEmpty()) {
            out().println("rules: " + source + ", mode " + word(rules.mode()));
            out().println(
                            "No target is a database, so there is no fence to look at. What methods the rules match, 'check --jar' shows.");
            return 0;
        }
        List<Place> places = places(rules);
        if (places.isEmpty()) {
            throw usage(
                    "no database to look at: rules hold patterns only, so name each with --url jdbc:postgresql://HOST/DATABASE or "
                            + URL);
        }
        if (drivers.isEmpty()) {
            throw usage(
                    "no JDBC driver: name the service's with --driver postgresql-42.7.14.jar; Lockfence brings none");
        }
        out().println("rules: " + source + ", mode " + word(rules.mode()));
        try (ServiceDriver driver = ServiceDriver.load(drivers, "jdbc:postgresql://localhost/x")) {
            for (Place place : places) {
                examine(rules, place, driver);
            }
        } catch (ServiceDriver.Unusable e) {
            throw usage(e.getMessage());
        }
        notLookedAt(rules, places);
        summary(rules);
        return findings == 0 ? 0 : Main.FINDINGS;
    }

    /** Methods have no fence to look at. */
    private static List<TargetRule> databases(Rules rules) {
        return rules.targets().stream()
                .filter(target -> target.destination() instanceof JdbcDestination)
                .toList();
    }

    private static JdbcPattern pattern(TargetRule database) {
        return ((JdbcDestination) database.destination()).pattern();
    }

    /** From the options, else from the environment, else from patterns that are URLs. */
    private List<Place> places(Rules rules) {
        List<Place> places = new ArrayList<>();
        for (String option : given) {
            int equals = option.startsWith("jdbc:") ? -1 : option.indexOf("=jdbc:");
            String url = option.substring(equals + 1);
            if (!url.startsWith("jdbc:")) {
                throw usage(
                        "--url needs a JDBC URL, or a target and a JDBC URL: --url orders-db=jdbc:postgresql://db/orders");
            }
            if (hasCredentials(url)) {
                throw usage("credentials do not belong on the command line, where other users see them: put them into "
                        + USER + " and " + PASSWORD);
            }
            places.add(new Place(equals < 0 ? null : named(rules, option.substring(0, equals)), url));
        }
        if (given.isEmpty()) {
            for (String url : environment.getOrDefault(URL, "").strip().split("\\s+")) {
                if (!url.isEmpty()) {
                    places.add(new Place(null, url));
                }
            }
        }
        for (TargetRule target : databases(rules)) {
            String pattern = pattern(target).toString();
            String own = environment.get(URL + suffix(target));
            if (places.stream().anyMatch(place -> target.equals(targetOf(rules, place)))) {
                continue;
            }
            if (own != null && !own.isBlank()) {
                places.add(new Place(target, own.strip()));
            } else if (pattern.indexOf('*') < 0) {
                places.add(new Place(target, pattern));
            }
        }
        for (Place place : places) {
            if (!dialect.speaks(place.url())) {
                throw usage(
                        "this version fences PostgreSQL databases: expected a URL that starts with jdbc:postgresql:, not "
                                + Redact.url(place.url()));
            }
        }
        return places;
    }

    private TargetRule named(Rules rules, String name) {
        return databases(rules).stream()
                .filter(target -> target.name().equals(name))
                .findFirst()
                .orElseThrow(() -> usage("the rules have no database target '" + name + "'; they have "
                        + String.join(
                                ", ",
                                databases(rules).stream().map(TargetRule::name).toList())));
    }

    /** Null if the agent would leave the database alone. */
    private static TargetRule targetOf(Rules rules, Place place) {
        return place.target() != null
                ? place.target()
                : rules.target(place.url()).orElse(null);
    }

    static boolean hasCredentials(String url) {
        int query = url.indexOf('?');
        String base = query < 0 ? url : url.substring(0, query);
        String parameters = query < 0 ? "" : "&" + url.substring(query + 1).toLowerCase(Locale.ROOT);
        return base.indexOf('@') >= 0 || parameters.contains("&user=") || parameters.contains("password=");
    }

    /** As environment variables can be called: {@code _ORDERS_DB}. */
    private static String suffix(TargetRule target) {
        return "_" + target.name().toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }

    private String variable(String name, TargetRule target) {
        String own = target == null ? null : environment.get(name + suffix(target));
        return own != null ? own : environment.get(name);
    }

    private void examine(Rules rules, Place place, ServiceDriver driver) {
        TargetRule target = targetOf(rules, place);
        String label = target == null ? "no target" : "target " + target.name();
        out().println();
        out().println(label + ": " + Redact.url(place.url()));
        matching(rules, place, target);
        String user = variable(USER, target);
        String password = variable(PASSWORD, target);
        long start = System.nanoTime();
        try (Connection connection = driver.connect(dialect, place.url(), user, password)) {
            say(ok("reached in " + (System.nanoTime() - start) / 1_000_000 + " ms"));
            DoctorPostgresql database = new DoctorPostgresql(connection, dialect.sql(), rules, clock);
            try {
                database.examine();
            } finally {
                database.findings().forEach(this::say);
            }
            if (!database.missing().isEmpty()) {
                missing.computeIfAbsent(database.missing(), sql -> new ArrayList<>())
                        .add(label + ", " + Redact.url(place.url()));
            }
        } catch (SQLException e) {
            say(finding(
                    "failed: " + withoutSecrets(DoctorPostgresql.firstLine(e.getMessage()), password) + " ("
                            + e.getSQLState() + ")",
                    cure(e, user)));
        }
    }

    private void matching(Rules rules, Place place, TargetRule target) {
        TargetRule agents = rules.target(place.url()).orElse(null);
        if (agents == null) {
            say(finding(
                    "no target of the rules matches this URL: the agent would leave the database alone",
                    target == null
                            ? "add a target, or look at the URL that the service uses"
                            : "its pattern is " + pattern(target)
                                    + ": mend the pattern, or give the URL that the service uses"));
        } else if (!agents.equals(target)) {
            say(finding(
                    "to the agent this is target " + agents.name() + ", whose pattern " + pattern(agents)
                            + " matches first",
                    "put the narrower pattern first, or give the URL that the service uses"));
        } else if (rules.locks().stream().noneMatch(lock -> lock.protects(target))) {
            say(note("no lock protects this target", "name it in 'protects' of a lock"));
        }
    }

    /** A driver may say in its message what it was given. */
    private static String withoutSecrets(String message, String password) {
        String hidden = password == null || password.isEmpty() ? message : message.replace(password, "***");
        return hidden.replaceAll("jdbc:\\S+", "the URL");
    }

    private static String cure(SQLException e, String user) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        String credentials = user == null
                ? "set " + USER + " and " + PASSWORD + " to what the service connects as"
                : "look at " + USER + " and " + PASSWORD;
        return switch (state) {
            case "28P01" -> credentials;
            case "28000" -> credentials + ", and whether the server's pg_hba.conf lets this machine in";
            case "3D000" -> "look at the name of the database in the URL";
            case "42501" -> "let the user connect: GRANT CONNECT ON DATABASE ... TO ...";
            case "53300" ->
                "the server has no connection left: raise max_connections or close some; Lockfence needs up to 4 in each JVM";
            case "57P03" -> "the server is starting up or shutting down: try again";
            case "08001", "08004", "08006" ->
                "look whether host and port are right, the server runs, and a firewall lets this machine through";
            default ->
                e.getMessage() != null && e.getMessage().contains("password")
                        ? credentials
                        : "look into the server's log; the same would happen to the service";
        };
    }

    private void notLookedAt(Rules rules, List<Place> places) {
        for (TargetRule target : databases(rules)) {
            boolean looked = places.stream().anyMatch(place -> target.equals(targetOf(rules, place)));
            if (!looked) {
                out().println();
                out().println("target " + target.name() + ": " + pattern(target));
                say(finding(
                        "not looked at: its pattern does not say where the database is",
                        "add --url " + (target.name().matches("[\\w.-]+") ? target.name() : "'" + target.name() + "'")
                                + "=jdbc:postgresql://HOST/DATABASE"));
            }
        }
    }

    private void summary(Rules rules) {
        missing.forEach((sql, databases) -> {
            out().println();
            out().println("-- Missing in " + String.join("; ", databases));
            out().println("-- Run this there, as the role that owns the fence or is to own it:");
            out().println(sql);
        });
        out().println();
        if (rules.mode() == Mode.OFF || rules.mode() == Mode.OBSERVE) {
            out().println("In mode " + word(rules.mode())
                    + " nothing is claimed yet: all this matters from mode shadow on.");
        }
        out().println((findings == 0 ? "No findings" : findings == 1 ? "1 finding" : findings + " findings")
                + (notes == 0 ? "." : notes == 1 ? ", 1 note." : ", " + notes + " notes.")
                + (missing.isEmpty() ? "" : " The SQL that is missing stands above."));
        out().flush();
    }

    private void say(DoctorFinding finding) {
        String label = switch (finding.level()) {
            case OK -> "@|green ok|@     ";
            case NOTE -> "@|yellow note|@   ";
            case FINDING -> "@|bold,red FINDING|@";
        };
        out().println("  " + spec.commandLine().getColorScheme().ansi().string(label) + "  " + finding.what());
        if (!finding.todo().isEmpty()) {
            out().println("           to do: " + finding.todo());
        }
        switch (finding.level()) {
            case FINDING -> findings++;
            case NOTE -> notes++;
            case OK -> {}
        }
    }

    private static String word(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
