/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import io.lockfence.it.ServiceProcess;
import io.lockfence.it.World;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A service that calls others, whose threads are told what to do, many at once. Thread safe. */
final class Caller {
    private static final Pattern LINE = Pattern.compile("^\\[([^]]+)] (.*)$");
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final Map<String, BlockingQueue<String>> answers = new ConcurrentHashMap<>();
    private final ServiceProcess process;

    Caller(World world, String name, Map<String, String> environment) {
        process = world.http(
                name,
                "caller.CallerService",
                environment,
                this::line,
                "--redis=" + world.redis().address());
    }

    private void line(String line) {
        Matcher matcher = LINE.matcher(line);
        if (matcher.matches()) {
            of(matcher.group(1)).add(matcher.group(2));
        }
    }

    private BlockingQueue<String> of(String thread) {
        return answers.computeIfAbsent(thread, name -> new LinkedBlockingQueue<>());
    }

    void ready() throws InterruptedException {
        hears("main");
    }

    /** Gives a thread one more step to do, and does not wait for it. */
    void tell(String thread, String step) {
        process.send("@" + thread + " " + step);
    }

    /** The answer to the next step of a thread whose answer was not heard yet. */
    String hears(String thread) throws InterruptedException {
        String answer = of(thread).poll(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        if (answer == null) {
            throw new AssertionError(process.name() + ": thread " + thread + " did not answer within " + LIMIT
                    + ". Its output:\n" + process.output());
        }
        return answer;
    }

    /** A step and its answer. */
    String does(String thread, String step) throws InterruptedException {
        tell(thread, step);
        return hears(thread);
    }

    ServiceProcess process() {
        return process;
    }
}
