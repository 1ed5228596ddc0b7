/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import io.lockfence.it.Scenario;
import io.lockfence.it.Waits;
import io.lockfence.it.World;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The services of one world, on which the stories of all pairs are played: two callers and a receiver. The stories of all clients of a server are played
 * at once, so that they share the time that leases take to end.
 */
final class Stage implements AutoCloseable {
    static final int FIRST_ITEM = 1_000;
    private static final int ITEMS = 9_000;
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int ATTEMPTS = 4;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final World world;
    private final Caller first;
    private final Caller second;
    private final Receiver receiver;
    private int items;

    /** Starts the services; they are waited for at the first play. */
    Stage(boolean fenced, String rules, List<String> servers) throws Exception {
        world = Scenario.of(w -> {}).rules(rules).open(fenced);
        world.database()
                .execute(
                        world.databaseName(),
                        "INSERT INTO stock SELECT i, 0 FROM generate_series(" + FIRST_ITEM + ", " + (FIRST_ITEM + ITEMS)
                                + ") i");
        first = new Caller(world, "first", Map.of());
        second = new Caller(world, "second", Map.of());
        receiver = new Receiver(world, "receiver", Map.of(), servers);
    }

    void ready() throws InterruptedException {
        first.ready();
        second.ready();
        receiver.ready();
    }

    /** What the receiver does with a refusal of its own is a matter of the server: a few clients are enough for it, and its threads too. */
    static List<Play.Story> stories(String client, List<String> clients) {
        return clients.indexOf(client) < 3 ? List.of(Play.Story.values()) : List.of(Play.Story.BUILT, Play.Story.HELD);
    }

    /** Plays the stories of each client with a server. */
    synchronized List<Play> play(String server, List<String> clients) throws Exception {
        List<Play> done = new ArrayList<>();
        List<Play> open = new ArrayList<>();
        for (String client : clients) {
            for (Play.Story story : stories(client, clients)) {
                open.add(new Play(client, story, FIRST_ITEM + items++));
            }
        }
        Duration lease = LEASE;
        for (int attempt = 1; !open.isEmpty(); attempt++) {
            warmUp(server, open);
            playAtOnce(server, open, lease);
            List<Play> again = new ArrayList<>();
            for (Play play : open) {
                if (play.tooSlow && attempt < ATTEMPTS) {
                    again.add(new Play(play.client, play.story, FIRST_ITEM + items++));
                } else {
                    play.value = value(play.item);
                    done.add(play);
                }
            }
            open = again;
            lease = lease.multipliedBy(2);
        }
        return done;
    }

    /**
     * What a JVM loads and connects at its first use takes longer than the leases of the stories; and connections that were idle through a long lease are
     * closed by some servers just when the next request comes.
     */
    private void warmUp(String server, List<Play> plays) throws InterruptedException {
        for (Caller caller : List.of(first, second)) {
            for (Play play : plays) {
                String lock = "order:warm-up-" + caller.process().name() + "-" + play.thread();
                caller.tell(play.thread(), "lock " + lock + " 60000");
                caller.tell(play.thread(), "get " + play.client + " " + receiver.url(server) + "/stock/1");
                caller.tell(play.thread(), "put " + play.client + " " + receiver.url(server) + "/stock/1");
                caller.tell(play.thread(), "unlock " + lock);
            }
        }
        for (Caller caller : List.of(first, second)) {
            for (Play play : plays) {
                for (int step = 0; step < 4; step++) {
                    step(play, caller.hears(play.thread()));
                }
            }
        }
    }

    private void playAtOnce(String server, List<Play> plays, Duration lease) throws Exception {
        Map<Play, Network> networks = new HashMap<>();
        List<Play> writing =
                plays.stream().filter(play -> play.story == Play.Story.WRITING).toList();
        try (Connection rows = world.database().admin(world.databaseName())) {
            for (Play play : plays) {
                if (play.story == Play.Story.HELD) {
                    networks.put(play, new Network(receiver.port(server)));
                }
            }
            long start = System.nanoTime();
            for (Play play : plays) {
                first.tell(play.thread(), "lock order:" + play.item + " " + lease.toMillis());
                first.tell(play.thread(), "get " + play.client + " " + url(server, networks, play));
            }
            for (Play play : plays) {
                trying(play, () -> {
                    step(play, first.hears(play.thread()));
                    must(play, "got 0", step(play, first.hears(play.thread())));
                });
            }
            lock(rows, writing);
            for (Play play : plays) {
                Network network = networks.get(play);
                if (network != null) {
                    network.hold();
                }
                first.tell(
                        play.thread(),
                        (play.story == Play.Story.BUILT ? "build " : "put ") + play.client + " "
                                + url(server, networks, play));
            }
            for (Play play : plays) {
                trying(play, () -> {
                    if (play.story == Play.Story.BUILT) {
                        must(play, "built 1", step(play, first.hears(play.thread())));
                    } else if (play.story == Play.Story.HELD) {
                        networks.get(play).awaitHeld(LIMIT);
                    }
                });
            }
            long sound = writing.stream().filter(play -> play.broken == null).count();
            trying(writing, () -> Waits.until("the receiver's transactions wait", LIMIT, () -> waiting() >= sound));
            boolean tooSlow = System.nanoTime() - start > lease.toNanos() * 8 / 10;
            plays.forEach(play -> play.tooSlow = tooSlow);
            first.process().stop();
            for (Play play : plays) {
                String direct = receiver.url(server) + play.path();
                second.tell(play.thread(), "lock order:" + play.item);
                second.tell(play.thread(), "get " + play.client + " " + direct);
                second.tell(play.thread(), "put " + play.client + " " + direct);
                second.tell(play.thread(), "unlock order:" + play.item);
            }
            for (Play play : plays) {
                trying(play, () -> {
                    step(play, second.hears(play.thread()));
                    step(play, second.hears(play.thread()));
                });
            }
            rows.rollback();
            for (Play play : plays) {
                trying(play, () -> {
                    play.next = step(play, second.hears(play.thread()));
                    step(play, second.hears(play.thread()));
                });
            }
            first.process().resume();
            for (Play play : plays) {
                if (play.story == Play.Story.BUILT) {
                    first.tell(play.thread(), "send");
                } else if (play.story == Play.Story.HELD) {
                    networks.get(play).release();
                }
                first.tell(play.thread(), "unlock order:" + play.item);
                for (Caller caller : List.of(first, second)) {
                    caller.tell(play.thread(), "end");
                }
            }
            for (Play play : plays) {
                trying(play, () -> {
                    play.late = step(play, first.hears(play.thread()));
                    step(play, first.hears(play.thread()));
                });
            }
        } finally {
            first.process().resume();
            networks.values().forEach(Network::close);
        }
    }

    private static void lock(Connection rows, List<Play> plays) throws SQLException {
        rows.setAutoCommit(false);
        try (Statement statement = rows.createStatement()) {
            for (Play play : plays) {
                statement.execute("SELECT value FROM stock WHERE id = " + play.item + " FOR UPDATE");
            }
        }
    }

    private long waiting() throws SQLException {
        return world.database()
                .number(
                        "postgres",
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '"
                                + world.databaseName() + "'");
    }

    private String url(String server, Map<Play, Network> networks, Play play) {
        Network network = networks.get(play);
        return (network == null ? receiver.url(server) : "http://127.0.0.1:" + network.port()) + play.path();
    }

    private interface Act {
        void run() throws InterruptedException;
    }

    private static void trying(List<Play> plays, Act act) throws InterruptedException {
        try {
            act.run();
        } catch (AssertionError e) {
            plays.forEach(play -> play.broken = play.broken == null ? e : play.broken);
        }
    }

    /** What goes wrong with one pair must not take the others with it. */
    private static void trying(Play play, Act act) throws InterruptedException {
        if (play.broken != null) {
            return;
        }
        try {
            act.run();
        } catch (AssertionError e) {
            play.broken = e;
        }
    }

    private static String step(Play play, String answer) {
        play.steps.add(answer);
        return answer;
    }

    private static void must(Play play, String expected, String answer) {
        if (!answer.equals(expected)) {
            throw new AssertionError(play.thread() + ": expected '" + expected + "', but " + answer);
        }
    }

    Receiver receiver() {
        return receiver;
    }

    /** An item that no play uses. */
    synchronized int item() {
        return FIRST_ITEM + items++;
    }

    long value(int item) throws SQLException {
        return world.database().number(world.databaseName(), "SELECT value FROM stock WHERE id = " + item);
    }

    @Override
    public void close() throws IOException {
        world.close();
    }
}
