/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.agent.attach.Answer;
import io.lockfence.agent.attach.Answer.Outcome;
import io.lockfence.agent.attach.Channel;
import io.lockfence.agent.attach.Request;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.RulesException;
import io.lockfence.agent.config.RulesLoader;
import io.lockfence.agent.config.SigningKey;
import io.lockfence.agent.config.Unleased;
import io.lockfence.agent.report.Report;
import io.lockfence.agent.report.Version;
import io.lockfence.bootstrap.Seams;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a command line asks of this JVM, one request at a time, each carried out wholly or not at all. */
final class Attachment {
    private Attachment() {}

    /** Takes the request of a command line and answers it. */
    static void serve(String address, Instrumentation instrumentation) {
        try {
            Channel.serve(address, Version.current(), request -> answer(request, instrumentation));
        } catch (IOException | RuntimeException e) {
            // Whoever asked has gone, or is none of ours. What was carried out stands, and the log has it.
            complain("could not answer the command line that attached: " + e);
        }
    }

    private static void complain(String line) {
        Agent agent = Agent.running();
        if (agent != null) {
            agent.report().log().line(line);
        }
    }

    private static synchronized Answer answer(Request request, Instrumentation instrumentation) {
        try {
            return carryOut(request, instrumentation);
        } catch (RulesException e) {
            List<String> lines = new ArrayList<>(e.lines());
            lines.add("nothing has changed in the JVM");
            return new Answer(Outcome.REFUSED, lines);
        } catch (Throwable t) {
            complain("could not do what the command line asked: " + t);
            return refused("Lockfence failed on it, please report this: " + t + " at "
                    + List.of(t.getStackTrace()).stream().limit(8).toList());
        }
    }

    private static Answer carryOut(Request request, Instrumentation instrumentation) throws RulesException {
        Agent agent = Agent.running();
        boolean asksOnly = request.rules() == null && request.mode() == null;
        if (agent == null && request.rules() == null) {
            return refused("no rules are in force in this JVM: give it some with --rules FILE");
        }
        if (asksOnly) {
            return new Answer(Outcome.DONE, state(agent));
        }
        Rules file = request.rules() == null
                ? agent.file()
                : RulesLoader.parse(request.rules(), request.source(), System.getenv());
        Rules rules = request.mode() == null ? file : file.inMode(request.mode());
        // A file in mode off is read without its keys.
        Set<String> keys = rules.mode() == Mode.OFF ? Set.of() : SigningKey.mistakes(rules, System.getenv());
        if (!keys.isEmpty()) {
            return refused("keys that the rules name are not there: " + String.join("; ", keys));
        }
        if (agent != null && agent.isWoven()) {
            return change(agent, file, rules);
        }
        if (rules.mode() == Mode.OFF) {
            return refused("in mode off nothing is woven, and nothing is so far: nothing to do");
        }
        return weave(agent, file, rules, instrumentation);
    }

    private static Answer weave(Agent before, Rules file, Rules rules, Instrumentation instrumentation) {
        Agent agent = before == null ? Agent.late(instrumentation) : before;
        long began = System.nanoTime();
        List<Weaver.Loaded> loaded = agent.weaveLate(file, rules);
        long millis = (System.nanoTime() - began) / 1_000_000;
        Report report = agent.report();
        report.started(
                word(rules.mode()),
                rules.source(),
                rules.locks().size(),
                rules.targets().size());
        List<String> lines = state(agent);
        List<String> problems = new ArrayList<>();
        for (Weaver.Loaded one : loaded) {
            if (one.problem() != null) {
                problems.add("NOT WOVEN: " + one.type().getName() + " of "
                        + one.type().getClassLoader() + ": " + one.problem());
            }
        }
        lines.add(
                (loaded.size() - problems.size()) + " classes that were loaded before are woven, in " + millis + " ms");
        lines.addAll(problems);
        lines.add(
                "locks that are held now are unknown: nothing is fenced or refused under them until they are unlocked");
        return new Answer(problems.isEmpty() ? Outcome.DONE : Outcome.WITH_FINDINGS, lines);
    }

    private static Answer change(Agent agent, Rules file, Rules rules) {
        List<String> hindrances = agent.hindrances(rules);
        if (!hindrances.isEmpty()) {
            return hindered(hindrances);
        }
        Rules fileBefore = agent.file();
        Rules before = agent.rules();
        boolean blind = Seams.blindUntil() > 0;
        agent.change(file, rules);
        hindrances = agent.hindrances(rules);
        if (!hindrances.isEmpty()) {
            // A connection was opened meanwhile.
            agent.change(fileBefore, before);
            return hindered(hindrances);
        }
        agent.report()
                .changed(
                        word(rules.mode()),
                        rules.source(),
                        rules.locks().size(),
                        rules.targets().size());
        List<String> lines = state(agent);
        boolean rejects = rules.targets().stream().anyMatch(target -> target.unleased() == Unleased.REJECT);
        if (!blind && Seams.blindUntil() > 0 && rejects) {
            lines.add(
                    "locks are watched now that may be held already, so 'unleased: reject' only reports from now on in this JVM; restart it to have writes refused");
            return new Answer(Outcome.WITH_FINDINGS, lines);
        }
        return new Answer(Outcome.DONE, lines);
    }

    private static Answer hindered(List<String> hindrances) {
        List<String> lines = new ArrayList<>();
        lines.add("this cannot be changed while the JVM runs, so nothing has changed:");
        hindrances.forEach(hindrance -> lines.add("  " + hindrance));
        return new Answer(Outcome.REFUSED, lines);
    }

    private static List<String> state(Agent agent) {
        List<String> lines = new ArrayList<>();
        Rules rules = agent.rules();
        lines.add("Lockfence " + Version.current() + ", mode " + word(rules.mode()) + ", rules: " + rules.source());
        lines.addAll(agent.libraries());
        if (!agent.unseen().isEmpty()) {
            lines.add(String.join(", ", agent.unseen()) + ": not loaded so far, woven when they are");
        }
        return lines;
    }

    private static Answer refused(String why) {
        return new Answer(Outcome.REFUSED, List.of(why));
    }

    private static String word(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }
}
