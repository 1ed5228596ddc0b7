/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import redis.clients.jedis.JedisPooled;

/** One device for all services: what it was sent, in order, is a list in Redis. */
final class RecordingDevice implements Device {
    private final JedisPooled redis;

    RecordingDevice(JedisPooled redis) {
        this.redis = redis;
    }

    @Override
    public void send(String order) {
        redis.rpush("device", order);
    }
}
