/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The same by Lettuce, with durations. */
public class LettuceLock {
    private static final String UNLOCK =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
    private static final String EXTEND =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end";

    private final RedisCommands<String, String> redis;
    private final Map<String, String> values = new ConcurrentHashMap<>();

    public LettuceLock(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    public boolean tryAcquire(String name, Duration lease) {
        String value = UUID.randomUUID().toString();
        if (redis.set("lock:" + name, value, SetArgs.Builder.nx().px(lease.toMillis())) == null) {
            return false;
        }
        values.put(name, value);
        return true;
    }

    public boolean extend(String name, Duration lease) {
        Long extended = redis.eval(
                EXTEND,
                ScriptOutputType.INTEGER,
                new String[] {"lock:" + name},
                values.getOrDefault(name, ""),
                Long.toString(lease.toMillis()));
        return extended == 1;
    }

    public boolean release(String name) {
        Long deleted = redis.eval(
                UNLOCK, ScriptOutputType.INTEGER, new String[] {"lock:" + name}, values.getOrDefault(name, ""));
        return deleted == 1;
    }
}
