/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A service that keeps counts of items in PostgreSQL and guards each with a lock of its own making. It takes the commands of the stock service from
 * standard input, one a line, and answers as that does; {@code send WORD} sends to a device that all services share; {@code @name} in front runs a command on a thread of that name.
 *
 * <p>Options: {@code --redis=redis://host:port --zookeeper=host:port --etcd=http://host:port --jdbc=URL --user=NAME --lock=STYLE --lease=MILLIS}; others are ignored.
 */
public final class HomemadeService {
    private HomemadeService() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new LinkedHashMap<>();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            options.put(arg.substring(2, equals), arg.substring(equals + 1));
        }
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(options.get("jdbc"));
        config.setUsername(options.get("user"));
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(1);
        Duration lease = Duration.ofMillis(Long.parseLong(options.getOrDefault("lease", "4000")));
        try (HikariDataSource database = new HikariDataSource(config);
                Styles styles = new Styles(
                        options.get("redis"), options.get("zookeeper"), options.get("etcd"), database, lease)) {
            Style style = styles.named(options.get("lock"));
            Map<String, Worker> workers = new LinkedHashMap<>();
            Say.line("main", "ready");
            BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = commands.readLine(); line != null && !line.equals("exit"); line = commands.readLine()) {
                String thread = line.startsWith("@") ? line.substring(1, line.indexOf(' ')) : "main";
                String command = line.startsWith("@") ? line.substring(line.indexOf(' ') + 1) : line;
                workers.computeIfAbsent(thread, name -> Worker.start(name, new Steps(style, database, styles.device())))
                        .add(command);
            }
            for (Worker worker : workers.values()) {
                worker.end();
            }
        }
    }
}
