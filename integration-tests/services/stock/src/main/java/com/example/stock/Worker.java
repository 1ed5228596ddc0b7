/* SPDX-License-Identifier: Apache-2.0 */
package com.example.stock;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A thread that carries out commands in order. */
final class Worker extends Thread {
    /** Carries out a command that is no single step. */
    interface Whole {
        /** @return whether it knew the command */
        boolean run(String[] words) throws Exception;
    }

    private static final String END = "";

    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    private final Steps steps;
    private final Whole whole;

    Worker(String name, Steps steps, Whole whole) {
        super(name);
        this.steps = steps;
        this.whole = whole;
        setDaemon(true);
    }

    void add(String command) {
        commands.add(command);
    }

    /** Lets it finish what it was given. */
    void end() throws InterruptedException {
        commands.add(END);
        join();
    }

    @Override
    public void run() {
        try {
            for (String command = commands.take(); !command.equals(END); command = commands.take()) {
                carryOut(command);
            }
        } catch (InterruptedException e) {
            Say.line(getName(), "interrupted");
        }
        steps.close();
    }

    private void carryOut(String command) throws InterruptedException {
        String[] words = command.split(" ");
        try {
            if (!whole.run(words)) {
                steps.run(command, words);
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            Say.line(getName(), Say.failure(words[0], e));
        }
    }
}
