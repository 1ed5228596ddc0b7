/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A thread that carries out commands in order, and goes on to the next when one has failed. */
final class Worker extends Thread {
    private static final String END = "";

    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    private final Steps steps;

    private Worker(String name, Steps steps) {
        super(name);
        this.steps = steps;
        setDaemon(true);
    }

    static Worker start(String name, Steps steps) {
        Worker worker = new Worker(name, steps);
        worker.start();
        return worker;
    }

    void add(String command) {
        commands.add(command);
    }

    void end() throws InterruptedException {
        commands.add(END);
        join();
    }

    @Override
    public void run() {
        try {
            for (String command = commands.take(); !command.equals(END); command = commands.take()) {
                try {
                    steps.run(command.split(" "));
                } catch (InterruptedException e) {
                    throw e;
                } catch (Exception e) {
                    Say.line(getName(), Say.failure(command.split(" ")[0], e));
                }
            }
        } catch (InterruptedException e) {
            Say.line(getName(), "interrupted");
        }
        steps.close();
    }
}
