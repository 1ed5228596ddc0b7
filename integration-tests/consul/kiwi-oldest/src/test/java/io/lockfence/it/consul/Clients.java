/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.consul;

import com.google.common.net.HostAndPort;
import java.nio.charset.StandardCharsets;
import org.kiwiproject.consul.Consul;
import org.kiwiproject.consul.KeyValueClient;
import org.kiwiproject.consul.SessionClient;
import org.kiwiproject.consul.model.session.ImmutableSession;
import org.kiwiproject.consul.option.ImmutablePutOptions;

/** kiwiproject's. */
final class Clients {
    static final String ANCHOR = "org.kiwiproject.consul.KeyValueClient";

    private Clients() {}

    static ServiceClient of(int port) {
        return new Kiwi(Consul.builder()
                .withHostAndPort(HostAndPort.fromParts("127.0.0.1", port))
                .withPing(false)
                .build());
    }

    static Consul consul(ServiceClient client) {
        return ((Kiwi) client).consul;
    }

    private static final class Kiwi implements ServiceClient {
        private final Consul consul;
        private final KeyValueClient keys;
        private final SessionClient sessions;

        Kiwi(Consul consul) {
            this.consul = consul;
            this.keys = consul.keyValueClient();
            this.sessions = consul.sessionClient();
        }

        @Override
        public String createSession(String ttl) {
            ImmutableSession.Builder session =
                    ImmutableSession.builder().name("test").lockDelay("0s");
            return sessions.createSession((ttl == null ? session : session.ttl(ttl)).build())
                    .getId();
        }

        @Override
        public void renewSession(String session) {
            sessions.renewSession(session);
        }

        @Override
        public void destroySession(String session) {
            sessions.destroySession(session);
        }

        @Override
        public boolean acquire(String key, String session, String value) {
            return keys.acquireLock(key, value, session);
        }

        @Override
        public boolean acquire(String key, String session, byte[] value) {
            return keys.putValue(
                    key,
                    value,
                    0,
                    ImmutablePutOptions.builder().acquire(session).build());
        }

        @Override
        public boolean release(String key, String session) {
            return keys.releaseLock(key, session);
        }

        @Override
        public void put(String key, String value) {
            keys.putValue(key, value, StandardCharsets.UTF_8);
        }

        @Override
        public void delete(String key) {
            keys.deleteKey(key);
        }

        @Override
        public void deleteAll(String prefix) {
            keys.deleteKeys(prefix);
        }

        @Override
        public void close() {
            consul.destroy();
        }
    }
}
