/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.caller;

import com.example.http.Say;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A thread that carries out commands in order. */
final class Worker extends Thread {
    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    private final Steps steps;

    private Worker(String name, Steps steps) {
        super(name);
        this.steps = steps;
        setDaemon(true);
    }

    static Worker started(String name, Steps steps) {
        Worker worker = new Worker(name, steps);
        worker.start();
        return worker;
    }

    void add(String command) {
        commands.add(command);
    }

    @Override
    public void run() {
        try {
            for (String command = commands.take(); !command.equals("end"); command = commands.take()) {
                carryOut(command.split(" "));
            }
        } catch (InterruptedException e) {
            Say.line("interrupted");
        }
    }

    private void carryOut(String[] words) throws InterruptedException {
        try {
            steps.run(words);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception | LinkageError e) {
            Say.line(Say.failure(words[0], e));
        }
    }
}
