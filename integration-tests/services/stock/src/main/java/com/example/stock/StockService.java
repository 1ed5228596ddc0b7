/* SPDX-License-Identifier: Apache-2.0 */
package com.example.stock;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * A service that keeps counts of items in PostgreSQL and guards each with a lock in Redis. It reads commands from standard input and
 * prints what it does, one line a step.
 *
 * <p>Options: {@code --redis=redis://host:port --jdbc=URL --user=NAME --password=TEXT --pool=CONNECTIONS --watchdog=MILLIS
 * --redis-timeout=MILLIS --redis-retries=COUNT}.
 */
public final class StockService {
    private StockService() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> options = options(args);
        RedissonClient redisson = Redisson.create(redis(options));
        try (HikariDataSource database = database(options)) {
            Say.line("main", "ready");
            new Console(new Stock(redisson, database), redisson, database).run();
        } finally {
            redisson.shutdown();
        }
    }

    private static Config redis(Map<String, String> options) {
        Config config = new Config();
        config.setCodec(StringCodec.INSTANCE);
        config.setLockWatchdogTimeout(Long.parseLong(options.getOrDefault("watchdog", "30000")));
        config.useSingleServer()
                .setAddress(options.get("redis"))
                .setConnectionMinimumIdleSize(2)
                .setConnectionPoolSize(16)
                .setTimeout(Integer.parseInt(options.getOrDefault("redis-timeout", "3000")))
                .setRetryAttempts(Integer.parseInt(options.getOrDefault("redis-retries", "3")));
        return config;
    }

    private static HikariDataSource database(Map<String, String> options) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(options.get("jdbc"));
        config.setUsername(options.get("user"));
        config.setPassword(options.getOrDefault("password", ""));
        config.setMaximumPoolSize(Integer.parseInt(options.getOrDefault("pool", "10")));
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    private static Map<String, String> options(String[] args) {
        Map<String, String> options = new LinkedHashMap<>();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (!arg.startsWith("--") || equals < 0) {
                throw new IllegalArgumentException("expected --name=value, got " + arg);
            }
            options.put(arg.substring(2, equals), arg.substring(equals + 1));
        }
        for (String needed : new String[] {"redis", "jdbc", "user"}) {
            if (!options.containsKey(needed)) {
                throw new IllegalArgumentException("--" + needed + "=… is missing");
            }
        }
        return options;
    }
}
