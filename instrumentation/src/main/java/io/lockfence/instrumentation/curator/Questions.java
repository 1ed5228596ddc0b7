/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.curator;

import io.lockfence.bootstrap.Beside;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Workers;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * What is asked again and again of one session with ZooKeeper. A question blocks its thread: of the many that a client with many locks has, eight are under way at a time, and the
 * others wait in their order. Thread safe.
 */
final class Questions {
    private static final int AT_A_TIME = 8;

    /** By the client object of ZooKeeper's. */
    private static final Beside<Object, Questions> OF = new Beside<>();

    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int underWay;

    private Questions() {}

    static synchronized Questions of(Object client) {
        Questions known = OF.get(client);
        if (known == null) {
            known = new Questions();
            OF.put(client, known);
        }
        return known;
    }

    /** @param question runs on a worker */
    void ask(Runnable question) {
        synchronized (this) {
            waiting.add(question);
            if (underWay == AT_A_TIME) {
                return;
            }
            underWay++;
        }
        Workers.onWorker(this::askAll).run();
    }

    private void askAll() {
        for (Runnable question = next(); question != null; question = next()) {
            try {
                question.run();
            } catch (RuntimeException | Error e) {
                Seams.fault(e);
            }
        }
    }

    private synchronized Runnable next() {
        Runnable question = waiting.poll();
        if (question == null) {
            underWay--;
        }
        return question;
    }
}
