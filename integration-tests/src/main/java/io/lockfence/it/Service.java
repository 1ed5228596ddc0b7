/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.time.Duration;
import java.util.regex.Pattern;

/** A stock service, told what to do step by step. Each step answers with one line. */
public final class Service {
    private static final Duration STEP = Duration.ofMinutes(2);
    private static final Pattern WHOLE = Pattern.compile("(increment|load) .*");

    private final ServiceProcess process;
    private boolean ready;
    private long answersBefore;

    Service(ServiceProcess process) {
        this.process = process;
    }

    /** The process, for signals and for what it printed. */
    public ServiceProcess process() {
        return process;
    }

    /** Carries out a step that must succeed, and gives its answer. */
    public String does(String command) throws InterruptedException {
        return mustSucceed(command, tries(command));
    }

    /**
     * Uses lock and database once, under a lock and a lease time of its own. What a JVM loads and connects at its first use takes a
     * busy machine longer than the short leases of some scenarios.
     */
    public void warmedUp() throws InterruptedException {
        for (String command :
                new String[] {"lock order:warm-up 60000", "begin", "read 1", "rollback", "unlock order:warm-up"}) {
            does(command);
        }
    }

    /** Carries out a step that may fail, and gives its answer. */
    public String tries(String command) throws InterruptedException {
        starts(command);
        return finishes(command);
    }

    /** Begins a step, without waiting for its answer. */
    public void starts(String command) throws InterruptedException {
        if (!ready) {
            process.await("^\\[main] ready$", STEP);
            ready = true;
        }
        answersBefore = process.count("^\\[");
        process.send(command);
    }

    /** Whether the step that was begun last has printed something. */
    public boolean hasAnswered() {
        return process.count("^\\[") > answersBefore;
    }

    /** Waits for the answer of a step that was begun. */
    public String finishes(String command) throws InterruptedException {
        String thread = command.startsWith("@") ? command.substring(1, command.indexOf(' ')) : "main";
        String step = command.startsWith("@") ? command.substring(command.indexOf(' ') + 1) : command;
        String answer = WHOLE.matcher(step).matches() ? "((?:failed increment|failed load|finished|load ).*)" : "(.*)";
        return process.await("^\\[" + Pattern.quote(thread) + "] " + answer, STEP)
                .group(1);
    }

    /** The same for a step that must succeed. */
    public String finishesWell(String command) throws InterruptedException {
        return mustSucceed(command, finishes(command));
    }

    private String mustSucceed(String command, String answer) {
        if (answer.startsWith("failed") || answer.startsWith("not-locked") || answer.startsWith("unknown")) {
            throw new AssertionError(process.name() + ": '" + command + "' should have succeeded, but " + answer + "\n"
                    + process.output());
        }
        return answer;
    }

    /** All its threads stand still until {@link #wakesUp}. */
    public void isStopped() {
        process.stop();
    }

    public void wakesUp() {
        process.resume();
    }
}
