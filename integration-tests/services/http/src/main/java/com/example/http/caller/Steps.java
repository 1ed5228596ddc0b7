/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.caller;

import com.example.http.Client;
import com.example.http.Reply;
import com.example.http.Say;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The steps of one thread. */
final class Steps {
    private final RedissonClient redisson;
    private final Clients clients;
    private long lastRead;
    private Client.Call built;

    Steps(RedissonClient redisson, Clients clients) {
        this.redisson = redisson;
        this.clients = clients;
    }

    void run(String[] words) throws Exception {
        switch (words[0]) {
            case "lock" -> lock(words);
            case "unlock" -> {
                redisson.getLock(words[1]).unlock();
                Say.line("unlocked " + words[1]);
            }
            case "get" -> get(clients.get(words[1]).send("GET", words[2], null));
            case "put" -> put(clients.get(words[1]).send("PUT", words[2], next()));
            case "build" -> {
                built = clients.get(words[1]).build("PUT", words[2], next());
                Say.line("built " + next());
            }
            case "send" -> put(built.send());
            default -> Say.line("unknown command " + words[0]);
        }
    }

    private void lock(String[] words) {
        RLock lock = redisson.getLock(words[1]);
        if (words.length > 2) {
            lock.lock(Long.parseLong(words[2]), TimeUnit.MILLISECONDS);
        } else {
            lock.lock();
        }
        Say.line("locked " + words[1]);
    }

    private String next() {
        return Long.toString(lastRead + 1);
    }

    private void get(Reply reply) {
        if (reply.status() == 200) {
            lastRead = Long.parseLong(reply.body().strip());
            Say.line("got " + lastRead);
        } else {
            answered(reply);
        }
    }

    private void put(Reply reply) {
        if (reply.status() / 100 == 2) {
            Say.line("put " + next());
        } else {
            answered(reply);
        }
    }

    private static void answered(Reply reply) {
        Say.line("answered " + reply.status() + " "
                + reply.header("content-type").replace(" ", "") + " " + reply.body());
    }
}
