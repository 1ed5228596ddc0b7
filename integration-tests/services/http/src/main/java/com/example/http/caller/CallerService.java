/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.caller;

import com.example.http.Options;
import com.example.http.Say;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * A service that keeps its data in another one, and guards each item with a lock in Redis. Commands from standard input, one a line; {@code @name} in
 * front runs it on a thread of that name, which takes its commands in order and goes on to the next when one has failed.
 *
 * <pre>
 * lock NAME [LEASE_MS]    wait for the lock; without a time it is renewed → locked NAME
 * unlock NAME                                                             → unlocked NAME
 * get CLIENT URL          read the value there                            → got 41
 * put CLIENT URL          write there what was read + 1                   → put 42 | answered STATUS CONTENT-TYPE BODY
 * build CLIENT URL        make the request of put, without sending it     → built 42
 * send                    send what was built                             → as put
 * end                     the thread has no more to do
 * exit
 * </pre>
 *
 * A step that fails prints {@code failed STEP: exception and causes}. Options: {@code --redis=redis://host:port --watchdog=MILLIS}.
 */
public final class CallerService {
    private CallerService() {}

    public static void main(String[] args) throws Exception {
        Options options = Options.of(args);
        RedissonClient redisson = Redisson.create(redis(options));
        try {
            Say.line("ready");
            carryOut(redisson);
        } finally {
            redisson.shutdown();
        }
        System.exit(0);
    }

    private static Config redis(Options options) {
        Config config = new Config();
        config.setCodec(StringCodec.INSTANCE);
        config.setLockWatchdogTimeout(Long.parseLong(options.get("watchdog", "30000")));
        config.useSingleServer()
                .setAddress(options.get("redis"))
                .setConnectionMinimumIdleSize(2)
                .setConnectionPoolSize(64);
        return config;
    }

    private static void carryOut(RedissonClient redisson) throws Exception {
        Clients clients = new Clients();
        Map<String, Worker> workers = new LinkedHashMap<>();
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
                workers.computeIfAbsent(thread, name -> Worker.started(name, new Steps(redisson, clients)))
                        .add(command);
            }
        }
    }
}
