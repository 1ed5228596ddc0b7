/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.params.SetParams;

/** {@code SET key value NX PX}, and a script that deletes the key if its value is still ours. */
public class JedisLock {
    private static final String UNLOCK =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
    private static final String EXTEND =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end";

    private final JedisPooled redis;
    private final Map<String, String> values = new ConcurrentHashMap<>();

    public JedisLock(JedisPooled redis) {
        this.redis = redis;
    }

    public boolean tryLock(String name, long leaseMillis) {
        String value = UUID.randomUUID().toString();
        if (redis.set("lock:" + name, value, SetParams.setParams().nx().px(leaseMillis)) == null) {
            return false;
        }
        values.put(name, value);
        return true;
    }

    public boolean extend(String name, long leaseMillis) {
        Object extended = redis.eval(
                EXTEND, List.of("lock:" + name), List.of(values.getOrDefault(name, ""), Long.toString(leaseMillis)));
        return Long.valueOf(1).equals(extended);
    }

    public void unlock(String name) {
        redis.eval(UNLOCK, List.of("lock:" + name), List.of(values.getOrDefault(name, "")));
    }
}
