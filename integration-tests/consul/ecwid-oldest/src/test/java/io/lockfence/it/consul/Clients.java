/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.consul;

import com.ecwid.consul.v1.ConsulClient;
import com.ecwid.consul.v1.QueryParams;
import com.ecwid.consul.v1.kv.model.PutParams;
import com.ecwid.consul.v1.session.model.NewSession;

/** Ecwid's. */
final class Clients {
    static final String ANCHOR = "com.ecwid.consul.v1.ConsulClient";

    private Clients() {}

    static ServiceClient of(int port) {
        return new Ecwid(new ConsulClient("127.0.0.1", port));
    }

    private static final class Ecwid implements ServiceClient {
        private final ConsulClient consul;

        Ecwid(ConsulClient consul) {
            this.consul = consul;
        }

        @Override
        public String createSession(String ttl) {
            NewSession session = new NewSession();
            session.setName("test");
            session.setTtl(ttl);
            return consul.sessionCreate(session, QueryParams.DEFAULT).getValue();
        }

        @Override
        public void renewSession(String session) {
            consul.renewSession(session, QueryParams.DEFAULT);
        }

        @Override
        public void destroySession(String session) {
            consul.sessionDestroy(session, QueryParams.DEFAULT);
        }

        private static PutParams acquiring(String session) {
            PutParams parameters = new PutParams();
            parameters.setAcquireSession(session);
            return parameters;
        }

        @Override
        public boolean acquire(String key, String session, String value) {
            return consul.setKVValue(key, value, acquiring(session)).getValue();
        }

        @Override
        public boolean acquire(String key, String session, byte[] value) {
            return consul.setKVBinaryValue(key, value, acquiring(session)).getValue();
        }

        @Override
        public boolean release(String key, String session) {
            PutParams parameters = new PutParams();
            parameters.setReleaseSession(session);
            return consul.setKVValue(key, "", parameters).getValue();
        }

        @Override
        public void put(String key, String value) {
            consul.setKVValue(key, value);
        }

        @Override
        public void delete(String key) {
            consul.deleteKVValue(key);
        }

        @Override
        public void deleteAll(String prefix) {
            consul.deleteKVValues(prefix);
        }

        @Override
        public void close() {}
    }
}
