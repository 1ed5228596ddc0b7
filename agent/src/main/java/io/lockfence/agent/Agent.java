/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.RulesChange;
import io.lockfence.agent.config.RulesException;
import io.lockfence.agent.config.RulesSource;
import io.lockfence.agent.fence.Protocol;
import io.lockfence.agent.report.Log;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.methods.MethodLinks;
import io.lockfence.instrumentation.methods.MethodPoint;
import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The agent of this JVM, in the isolated loader: rules, protocol, seams, weaving, in this order. */
public final class Agent {
    /** Null before there is one; changed by one thread at a time. */
    private static Agent running;

    private final Report report;
    private final Instrumentation instrumentation;
    /** As the file says; the mode of {@link #rules} may be another. */
    private Rules file;

    private Rules rules;
    private Protocol protocol;
    private LibraryStatus status;
    private List<MethodPoint> methods = List.of();

    private Agent(Report report, Instrumentation instrumentation, Rules file) {
        this.report = report;
        this.instrumentation = instrumentation;
        this.file = file;
        this.rules = file;
    }

    /**
     * Called once, in premain.
     *
     * @param arguments what follows {@code =} in {@code -javaagent:lockfence.jar=}; may be null
     */
    public static void start(String arguments, Instrumentation instrumentation) {
        Log log = log();
        Rules rules;
        try {
            rules = RulesSource.find(arguments, System.getProperties(), System.getenv(), new File("").getAbsoluteFile())
                    .load(System.getenv());
        } catch (RulesException e) {
            refuseRules(e, log);
            return;
        }
        Agent agent = new Agent(new Report(log), instrumentation, rules);
        if (rules.mode() != Mode.OFF) {
            agent.weave();
        }
        running = agent;
        agent.report.started(
                rules.mode().name().toLowerCase(Locale.ROOT),
                rules.source(),
                rules.locks().size(),
                rules.targets().size());
    }

    /**
     * Called whenever a command line attaches to this JVM; returns at once.
     *
     * @param arguments where it listens
     */
    public static void attach(String arguments, Instrumentation instrumentation) {
        background("lockfence-attach", () -> Attachment.serve(arguments, instrumentation));
    }

    private static Log log() {
        return Log.to(System.getProperty("lockfence.log"));
    }

    /** A service with a broken rules file starts all the same, with nothing woven; {@code strict: true} stops the JVM instead. */
    private static void refuseRules(RulesException e, Log log) {
        log.line("the rules are not used, NOTHING IS FENCED; " + e.problems().size() + " to mend in " + e.file() + ":");
        e.lines().forEach(log::line);
        log.line("check them with: java -jar lockfence.jar check " + e.file());
        if (e.strict()) {
            log.line("strict: true, so the JVM ends here");
            System.exit(1);
        }
    }

    private void weave() {
        Weaver weaver = prepare(Libraries.ALL);
        connect();
        weaver.install(instrumentation);
        // What Byte Buddy needs to start, and JDK classes that are loaded already, are no business of the service's
        // start.
        background("lockfence-warm-up", () -> {
            weaver.weaveLoaded(instrumentation);
            Weaver.warmUp(Libraries.ALL);
        });
    }

    private Weaver prepare(List<Library> libraries) {
        protocol = new Protocol(rules, report);
        status = new LibraryStatus(report, protocol.transactions());
        methods = MethodPoints.of(rules);
        if (!methods.isEmpty()) {
            AdviceLinker.methodLinker(new MethodLinks(methods));
        }
        MethodStatus methodStatus = new MethodStatus(report, protocol.transactions());
        return new Weaver(libraries, new MethodWeaver(methods, methodStatus), status);
    }

    private void connect() {
        Seams.connect(protocol.leases(), protocol.transactions(), report::fault);
    }

    private static void background(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.start();
    }

    /** The agent of this JVM; null if there is none. One thread at a time. */
    static Agent running() {
        return running;
    }

    /** Comes into a JVM that is running already. Nothing is woven yet. */
    static Agent late(Instrumentation instrumentation) {
        Agent agent = new Agent(new Report(log()), instrumentation, Rules.observeEverything());
        running = agent;
        return agent;
    }

    /**
     * Weaves what is loaded, all at one moment, and what will be; then begins to watch, all at one moment as well: a lock that is taken later is seen wholly, with
     * all that is sent under it.
     */
    List<Weaver.Loaded> weaveLate(Rules ofFile, Rules withMode) {
        Rules fileBefore = file;
        Rules rulesBefore = rules;
        Weaver weaver = null;
        try {
            file = ofFile;
            rules = withMode;
            Seams.wasBlind();
            weaver = prepare(LateLibrary.all());
            weaver.install(instrumentation);
            List<Weaver.Loaded> loaded = weaver.weaveAtOnce(instrumentation);
            connect();
            return loaded;
        } catch (RuntimeException | Error e) {
            // Woven calls find nobody, and do nothing.
            if (weaver != null) {
                instrumentation.removeTransformer(weaver);
            }
            file = fileBefore;
            rules = rulesBefore;
            methods = List.of();
            status = null;
            protocol = null;
            throw e;
        }
    }

    /** Other rules, or the same in another mode, which can be applied: nothing hinders it. */
    void change(Rules nextFile, Rules next) {
        if (RulesChange.watchesMore(rules, next)) {
            Seams.wasBlind();
        }
        file = nextFile;
        rules = next;
        protocol.change(next);
    }

    /** Whether something is woven. */
    boolean isWoven() {
        return protocol != null;
    }

    /** Why other rules cannot be applied to this JVM; empty if they can. */
    List<String> hindrances(Rules next) {
        List<String> hindrances = new ArrayList<>(RulesChange.hindrances(rules, next));
        for (MethodPoint point : MethodPoints.of(next)) {
            if (methods.stream().noneMatch(point::isSame)) {
                hindrances.add(point.rule() + " names " + point.className() + "#" + point.method()
                        + ", which is not woven in this JVM");
            }
        }
        hindrances.addAll(protocol.hindrances(next));
        return hindrances;
    }

    Report report() {
        return report;
    }

    /** As the file says. */
    Rules file() {
        return file;
    }

    /** What is in force. */
    Rules rules() {
        return rules;
    }

    /** One line for each library that was seen so far. */
    List<String> libraries() {
        return status == null ? List.of() : status.lines();
    }

    /** Names of libraries that were not loaded so far. */
    List<String> unseen() {
        return status == null ? List.of() : status.unseen(Libraries.ALL);
    }
}
