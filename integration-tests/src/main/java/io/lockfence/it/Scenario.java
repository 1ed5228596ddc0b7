/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.util.ArrayList;
import java.util.List;

/**
 * A story that is played twice: without the agent, where it must lose an update, or it shows nothing; and with the agent, where it must
 * lose none.
 */
public final class Scenario {
    /** What happens; must not look at whether the agent is there. */
    @FunctionalInterface
    public interface Story {
        void tell(World world) throws Exception;
    }

    /** One mapping: {@code order:1} is the lock of {@code orders/1}; every PostgreSQL is protected. */
    public static final String RULES = """
            mode: enforce
            locks:
              - name: orders
                library: redisson
                key: "order:{id}"
                resource: "orders/{id}"
            targets:
              - name: stock-db
                jdbc: "jdbc:postgresql://**"
            """;

    /**
     * Four seconds of lease without renewal: long enough for the first mint of a cold JVM on a busy machine, two seconds at most, and the
     * first renewal after it, a third of the lease later.
     */
    private static final String WATCHDOG = "--watchdog=4000";

    private final Story story;
    final List<String> serviceOptions = new ArrayList<>(List.of(WATCHDOG));
    String rules = RULES;
    boolean fakeRedisClock;
    boolean oldestPostgres;
    boolean attached;

    private Scenario(Story story) {
        this.story = story;
    }

    public static Scenario of(Story story) {
        return new Scenario(story);
    }

    public Scenario rules(String value) {
        rules = value;
        return this;
    }

    /** Options of every service of the story; each takes the place of an earlier one of its name. */
    public Scenario serviceOptions(String... options) {
        for (String option : options) {
            String name = option.substring(0, option.indexOf('=') + 1);
            serviceOptions.removeIf(earlier -> earlier.startsWith(name));
            serviceOptions.add(option);
        }
        return this;
    }

    /** The oldest supported PostgreSQL instead of the newest. */
    public Scenario oldestPostgres() {
        oldestPostgres = true;
        return this;
    }

    /** Services start without the agent, which comes when the story says so: {@link World#attach}. */
    public Scenario attached() {
        attached = true;
        return this;
    }

    /** Redis gets a wall clock that can jump. */
    public Scenario fakeRedisClock() {
        fakeRedisClock = true;
        return this;
    }

    /**
     * Plays it without and with the agent.
     *
     * @return what came of it with the agent
     * @throws AssertionError if the first run lost nothing, or the second lost an update
     */
    public Result play() throws Exception {
        Result control = playOnce(false);
        if (control.lost() < 1) {
            throw new AssertionError(
                    "the control run, without the agent, lost no update: it shows nothing.\n" + describe(control));
        }
        Result result = playOnce(true);
        if (result.lost() != 0) {
            throw new AssertionError("with the agent an update was lost.\n" + describe(result));
        }
        return result;
    }

    /** Plays it with the agent only, for what has no counterpart without. */
    public Result playFenced() throws Exception {
        return playOnce(true);
    }

    /** Plays it without the agent only, for what shows otherwise than by a lost update. */
    public Result playUnfenced() throws Exception {
        return playOnce(false);
    }

    /** The servers without a story: for tests that play many, one after the other, on the same services. The caller closes it. */
    public World open(boolean fenced) {
        return new World(fenced, this);
    }

    private Result playOnce(boolean fenced) throws Exception {
        try (World world = new World(fenced, this)) {
            try {
                story.tell(world);
            } catch (AssertionError | Exception e) {
                throw new AssertionError(
                        (fenced ? "with" : "without") + " the agent: " + e.getMessage() + "\n"
                                + describe(world.result()),
                        e);
            }
            return world.result();
        }
    }

    private static String describe(Result result) {
        return "increments=" + result.increments() + " stored=" + result.stored() + " lost=" + result.lost()
                + " refused=" + result.refusals() + "\n" + result.output();
    }
}
