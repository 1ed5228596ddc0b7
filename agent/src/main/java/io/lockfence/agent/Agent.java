/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.RulesException;
import io.lockfence.agent.config.RulesSource;
import io.lockfence.agent.fence.Protocol;
import io.lockfence.agent.report.Log;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.methods.MethodLinks;
import io.lockfence.instrumentation.methods.MethodPoint;
import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.Locale;

/** Starts the agent in the isolated loader: rules, protocol, seams, weaving, in this order. */
public final class Agent {
    private Agent() {}

    /**
     * Called once, in premain.
     *
     * @param arguments what follows {@code =} in {@code -javaagent:lockfence.jar=}; may be null
     */
    public static void start(String arguments, Instrumentation instrumentation) {
        Log log = Log.to(System.getProperty("lockfence.log"));
        Rules rules;
        try {
            rules = RulesSource.find(arguments, System.getProperties(), System.getenv(), new File("").getAbsoluteFile())
                    .load();
        } catch (RulesException e) {
            refuseRules(e, log);
            return;
        }
        Report report = new Report(log);
        if (rules.mode() != Mode.OFF) {
            weave(rules, report, instrumentation);
        }
        report.started(
                rules.mode().name().toLowerCase(Locale.ROOT),
                rules.source(),
                rules.locks().size(),
                rules.targets().size());
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

    private static void weave(Rules rules, Report report, Instrumentation instrumentation) {
        Protocol protocol = new Protocol(rules, report);
        Seams.connect(protocol.leases(), protocol.transactions(), report::fault);
        LibraryStatus status = new LibraryStatus(report, protocol.transactions());
        List<MethodPoint> points = MethodPoints.of(rules);
        if (!points.isEmpty()) {
            AdviceLinker.methodLinker(new MethodLinks(points));
        }
        MethodStatus methodStatus = new MethodStatus(report, protocol.transactions());
        Weaver weaver = new Weaver(Libraries.ALL, new MethodWeaver(points, methodStatus), status);
        weaver.install(instrumentation);
        // What Byte Buddy needs to start, and JDK classes that are loaded already, are no business of the service's
        // start.
        Runnable work = () -> {
            weaver.weaveLoaded(instrumentation);
            Weaver.warmUp(Libraries.ALL);
        };
        Thread warmUp = new Thread(null, work, "lockfence-warm-up", 0, false);
        warmUp.setDaemon(true);
        warmUp.setContextClassLoader(null);
        warmUp.start();
    }
}
