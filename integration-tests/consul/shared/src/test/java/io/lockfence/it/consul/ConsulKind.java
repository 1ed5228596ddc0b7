/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.consul;

import io.lockfence.agent.WovenLocks;
import io.lockfence.instrumentation.consul.ConsulLibrary;
import io.lockfence.it.Consul;
import io.lockfence.it.locks.LockContract.Kind;
import io.lockfence.it.locks.LockContract.ServiceLock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Two clients and a Consul of their own. Each acquisition has a session of its own, which is renewed until the release. */
final class ConsulKind implements Kind {
    static final int TTL_SECONDS = 6;
    static final String TTL = TTL_SECONDS + "s";
    private static final long POLL_MILLIS = 5;

    static {
        WovenLocks.install(new ConsulLibrary());
    }

    private final Consul server;
    private final List<ServiceClient> clients;
    private final ScheduledThreadPoolExecutor renewing = new ScheduledThreadPoolExecutor(8);

    ConsulKind() {
        server = Consul.start();
        renewing.setRemoveOnCancelPolicy(true);
        clients = List.of(Clients.of(server.port()), Clients.of(server.port()));
    }

    ServiceClient client(int number) {
        return clients.get(number);
    }

    Consul server() {
        return server;
    }

    @Override
    public String library() {
        return "consul";
    }

    @Override
    public String lock(String name) {
        return "locks/" + name;
    }

    @Override
    public ServiceLock lock(int client, String name) {
        return new ConsulLock(clients.get(client), lock(name));
    }

    @Override
    public boolean reenters() {
        return false;
    }

    @Override
    public boolean ownsThread() {
        return false;
    }

    @Override
    public Duration granted() {
        return Duration.ofSeconds(TTL_SECONDS);
    }

    @Override
    public void destroy(String name) {
        server.deleteKey(lock(name));
    }

    @Override
    public void cutOff() {
        server.pause();
    }

    @Override
    public void heal() {
        server.resume();
    }

    @Override
    public void restart(boolean keepData) {
        server.restart(keepData);
    }

    @Override
    public void close() {
        renewing.shutdownNow();
        server.close();
        clients.forEach(ServiceClient::close);
    }

    /** Keeps a session alive as services do it. */
    Future<?> renew(ServiceClient client, String session) {
        return renewing.scheduleWithFixedDelay(
                () -> {
                    try {
                        client.renewSession(session);
                    } catch (RuntimeException e) {
                        // As ever: only logged.
                    }
                },
                1,
                TTL_SECONDS / 3,
                TimeUnit.SECONDS);
    }

    private final class ConsulLock implements ServiceLock {
        private final ServiceClient client;
        private final String key;
        private volatile Held held;

        private record Held(String session, Future<?> renewing) {}

        ConsulLock(ServiceClient client, String key) {
            this.client = client;
            this.key = key;
        }

        @Override
        public void acquire() throws Exception {
            if (!acquire(Duration.ofHours(1))) {
                throw new IllegalStateException("not acquired");
            }
        }

        @Override
        public boolean acquire(Duration atMost) throws Exception {
            long until = System.nanoTime() + atMost.toNanos();
            String session = client.createSession(TTL);
            Future<?> renewal = renew(client, session);
            try {
                while (!client.acquire(key, session, "held")) {
                    if (System.nanoTime() - until > 0) {
                        renewal.cancel(false);
                        client.destroySession(session);
                        return false;
                    }
                    Thread.sleep(POLL_MILLIS);
                }
            } catch (InterruptedException | RuntimeException e) {
                renewal.cancel(false);
                throw e;
            }
            held = new Held(session, renewal);
            return true;
        }

        @Override
        public void release() {
            Held given = held;
            given.renewing.cancel(false);
            client.release(key, given.session);
            client.destroySession(given.session);
        }
    }
}
