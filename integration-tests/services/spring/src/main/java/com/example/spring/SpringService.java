/* SPDX-License-Identifier: Apache-2.0 */
package com.example.spring;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;

/**
 * Counts of items behind HTTP. Options are Spring's: {@code --spring.datasource.url=… --redis=redis://host:port --watchdog=MILLIS}.
 * Prints {@code ready PORT} when it listens.
 */
@SpringBootApplication
public class SpringService {
    public static void main(String[] args) {
        SpringApplication.run(SpringService.class, args);
    }

    @Bean(destroyMethod = "shutdown")
    RedissonClient redisson(@Value("${redis}") String address, @Value("${watchdog:30000}") long watchdog) {
        Config config = new Config();
        config.setLockWatchdogTimeout(watchdog);
        config.useSingleServer()
                .setAddress(address)
                .setConnectionMinimumIdleSize(2)
                .setConnectionPoolSize(16);
        return Redisson.create(config);
    }

    @EventListener
    void listening(ServletWebServerInitializedEvent event) {
        System.out.println("ready " + event.getWebServer().getPort());
    }
}
