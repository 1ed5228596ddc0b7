/* SPDX-License-Identifier: Apache-2.0 */
package com.example.stock;

import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.redisson.api.RedissonClient;

/**
 * Commands from standard input, one a line; {@code @name} in front runs it on a thread of that name, which takes its commands in order
 * and goes on to the next when one has failed.
 *
 * <pre>
 * lock NAME [LEASE_MS]             wait for the lock          → locked NAME
 * trylock NAME WAIT_MS [LEASE_MS]  wait so long               → locked NAME | not-locked NAME
 * unlock NAME                                                 → unlocked NAME
 * begin                            open a transaction         → begun
 * read ITEM                        plain SELECT               → read 41
 * write ITEM                       UPDATE to what was read + 1 → wrote 42
 * sql TEXT                         any one statement          → done rows=N
 * commit | rollback | close                                   → committed | rolled-back | closed
 * increment LOCK ITEM WORK_MS      all of it → locked, read, wrote, committed, unlocked, finished increment
 * load THREADS LOCKS SECONDS SEED  many threads at once       → load increments=N failures=K
 * time                             the wall clock             → time MILLIS
 * shutdown                         close the pool             → shut down
 * exit
 * </pre>
 *
 * A step that fails prints {@code failed STEP: SQLSTATE message}.
 */
final class Console {
    private final Stock stock;
    private final RedissonClient redisson;
    private final HikariDataSource database;
    private final Map<String, Worker> workers = new LinkedHashMap<>();

    Console(Stock stock, RedissonClient redisson, HikariDataSource database) {
        this.stock = stock;
        this.redisson = redisson;
        this.database = database;
    }

    void run() throws IOException, InterruptedException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String command = line.strip();
            if (command.equals("exit")) {
                break;
            }
            String thread = "main";
            if (command.startsWith("@")) {
                int space = command.indexOf(' ');
                thread = command.substring(1, space);
                command = command.substring(space + 1);
            }
            if (!command.isEmpty()) {
                workers.computeIfAbsent(thread, this::start).add(command);
            }
        }
        for (Worker worker : workers.values()) {
            worker.end();
        }
    }

    private Worker start(String name) {
        Worker worker = new Worker(name, new Steps(redisson, database), this::whole);
        worker.start();
        return worker;
    }

    /** The commands that are more than one step. */
    private boolean whole(String[] words) throws Exception {
        switch (words[0]) {
            case "increment" -> {
                stock.increment(words[1], Integer.parseInt(words[2]), Duration.ofMillis(Long.parseLong(words[3])));
                Say.line(Thread.currentThread().getName(), "finished increment");
            }
            case "load" ->
                new Load(redisson, database, Integer.parseInt(words[2]), Long.parseLong(words[4]))
                        .run(Integer.parseInt(words[1]), Duration.ofSeconds(Long.parseLong(words[3])));
            case "shutdown" -> {
                database.close();
                Say.line(Thread.currentThread().getName(), "shut down");
            }
            default -> {
                return false;
            }
        }
        return true;
    }
}
