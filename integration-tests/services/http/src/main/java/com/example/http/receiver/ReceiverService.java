/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.receiver;

import com.example.http.Adapters;
import com.example.http.Handler;
import com.example.http.Options;
import com.example.http.Reply;
import com.example.http.Say;
import com.example.http.Server;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Keeps the values of items in PostgreSQL, in memory, or in yet another service. Starts the servers that it is given, each on a free port, and prints
 * {@code serving NAME PORT}; ends when its standard input does.
 *
 * <pre>
 * GET /stock/ITEM      the value
 * PUT /stock/ITEM      writes the body's, in a transaction
 * /counts/ITEM         the same items, in autocommit mode
 * /memory/ITEM         items that are in no database
 * /forward/ITEM        what /stock/ITEM of the next service answers
 * </pre>
 *
 * Each of these also under any other folders: {@code /a/b/stock/ITEM}. What the database refuses is answered by 500 and the exception's text, as services do. Options: {@code --servers=NAME,NAME --jdbc=URL --user=NAME
 * --next=CLIENT,URL}.
 */
public final class ReceiverService {
    private ReceiverService() {}

    public static void main(String[] args) throws Exception {
        Options options = Options.of(args);
        Adapters adapters = new Adapters();
        try (HikariDataSource database = database(options)) {
            Handler handler = handler(options, database, adapters);
            for (String name : options.get("servers").split(",", -1)) {
                try {
                    Server server = adapters.server(name);
                    Say.line("serving " + name + " " + server.start(handler));
                } catch (Exception | LinkageError e) {
                    Say.line(Say.failure("server " + name, e));
                }
            }
            Say.line("ready");
            BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (commands.readLine() != null) {
                // Nothing to do but to wait for the end.
            }
        }
        System.exit(0);
    }

    private static Handler handler(Options options, HikariDataSource database, Adapters adapters) {
        Handler stock = new Stock(database, true);
        Handler counts = new Stock(database, false);
        Handler memory = new Memory();
        String[] next = options.get("next", "JdkSync,http://127.0.0.1:1").split(",", -1);
        Handler forward = new Forward(adapters.client(next[0]), next[1]);
        return request -> {
            Say.line("handling " + request.method() + " " + request.path());
            return switch (request.path().replaceAll("^(?:/[a-z]+)*/([a-z]+)/\\d+$", "$1")) {
                case "stock" -> stock.handle(request);
                case "counts" -> counts.handle(request);
                case "memory" -> memory.handle(request);
                case "forward" -> forward.handle(request);
                default -> Reply.text(404, "nothing at " + request.path());
            };
        };
    }

    private static HikariDataSource database(Options options) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(options.get("jdbc"));
        config.setUsername(options.get("user"));
        config.setMaximumPoolSize(64);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }
}
