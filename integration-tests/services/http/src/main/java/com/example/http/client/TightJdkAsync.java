/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Reply;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** With redirects and an answer to challenges, and one thread for everything: a path that ends in {@code /hold} keeps that thread. */
public final class TightJdkAsync extends JdkAsync {
    private final ExecutorService thread;
    private final UrlConnection blocking = new UrlConnection();

    public TightJdkAsync() {
        this(Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "tight-jdk");
            thread.setDaemon(true);
            return thread;
        }));
    }

    private TightJdkAsync(ExecutorService thread) {
        super(TightJdkSync.builder().executor(thread).build());
        this.thread = thread;
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return url.endsWith("/hold")
                ? thread.submit(() -> blocking.send(method, url, body)).get()
                : super.send(method, url, body);
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
