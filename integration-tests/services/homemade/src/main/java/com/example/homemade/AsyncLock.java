/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** {@code SET NX PX} and scripts, without waiting for their answers. */
public class AsyncLock {
    private static final String EXTEND =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end";
    private static final String RELEASE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

    private final RedisAsyncCommands<String, String> redis;
    private final Map<String, String> owners = new ConcurrentHashMap<>();

    public AsyncLock(RedisAsyncCommands<String, String> redis) {
        this.redis = redis;
    }

    public CompletableFuture<Boolean> acquireAsync(String name, Duration lease) {
        String owner = UUID.randomUUID().toString();
        return redis.set("lock:" + name, owner, SetArgs.Builder.nx().px(lease))
                .thenApply(answer -> {
                    boolean held = "OK".equals(answer);
                    if (held) {
                        owners.put(name, owner);
                    }
                    return held;
                })
                .toCompletableFuture();
    }

    public CompletableFuture<Boolean> extendAsync(String name, Duration lease) {
        return redis.<Long>eval(
                        EXTEND,
                        ScriptOutputType.INTEGER,
                        new String[] {"lock:" + name},
                        owners.get(name),
                        Long.toString(lease.toMillis()))
                .thenApply(count -> count == 1)
                .toCompletableFuture();
    }

    public CompletableFuture<Boolean> releaseAsync(String name) {
        return redis.<Long>eval(RELEASE, ScriptOutputType.INTEGER, new String[] {"lock:" + name}, owners.get(name))
                .thenApply(count -> count == 1)
                .toCompletableFuture();
    }
}
