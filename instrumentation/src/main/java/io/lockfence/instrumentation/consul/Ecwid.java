/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import io.lockfence.instrumentation.Handles;
import java.lang.invoke.MethodHandle;

/** Ecwid's consul-api: what is read of its requests and answers, and how it is asked. */
record Ecwid(Object client) implements Connection {
    private static final String PACKAGE = "com.ecwid.consul.v1.";

    private static final ClassValue<Types> TYPES = new ClassValue<>() {
        @Override
        protected Types computeValue(Class<?> neighbour) {
            return new Types(neighbour);
        }
    };

    /** What is called of the client, by a class of the same loader. */
    private static final class Types {
        final MethodHandle acquire;
        final MethodHandle release;
        final MethodHandle datacenter;
        final MethodHandle newQuery;
        final Object consistent;
        final MethodHandle getValue;
        final MethodHandle answer;
        final MethodHandle session;
        final MethodHandle createIndex;
        final MethodHandle modifyIndex;
        final MethodHandle lockIndex;
        final MethodHandle wantedTtl;
        final MethodHandle ttl;

        Types(Class<?> neighbour) {
            Class<?> put = type(neighbour, "kv.model.PutParams");
            acquire = Handles.method(put, "getAcquireSession");
            release = Handles.method(put, "getReleaseSession");
            Class<?> query = type(neighbour, "QueryParams");
            datacenter = Handles.method(query, "getDatacenter");
            Class<?> mode = type(neighbour, "ConsistencyMode");
            newQuery = Handles.constructor(query, String.class, mode);
            consistent = Handles.constant(mode, "CONSISTENT");
            getValue = Handles.method(
                    type(neighbour, "kv.KeyValueConsulClient"), "getKVValue", String.class, String.class, query);
            answer = Handles.method(type(neighbour, "Response"), "getValue");
            Class<?> value = type(neighbour, "kv.model.GetValue");
            session = Handles.method(value, "getSession");
            createIndex = Handles.method(value, "getCreateIndex");
            modifyIndex = Handles.method(value, "getModifyIndex");
            lockIndex = Handles.method(value, "getLockIndex");
            wantedTtl = Handles.method(type(neighbour, "session.model.NewSession"), "getTtl");
            ttl = Handles.method(type(neighbour, "session.model.Session"), "getTtl");
        }

        private static Class<?> type(Class<?> neighbour, String name) {
            return Handles.type(neighbour, PACKAGE + name);
        }
    }

    private static Types types(Object neighbour) {
        return TYPES.get(neighbour.getClass());
    }

    /** Null if the write neither acquires nor releases. */
    static Put put(Object client, String key, String token, Object parameters, Object query) throws Throwable {
        if (key == null || parameters == null) {
            return null;
        }
        Types types = types(client);
        String acquires = (String) types.acquire.invoke(parameters);
        String releases = (String) types.release.invoke(parameters);
        if (acquires == null && releases == null) {
            return null;
        }
        String datacenter = query == null ? null : (String) types.datacenter.invoke(query);
        return new Put(new Ecwid(client), Put.plain(key), acquires, releases, new Access(token, datacenter));
    }

    /** How long a session that is asked for shall live, as it is asked for; null for no bound. */
    static String wantedTtl(Object client, Object session) throws Throwable {
        return session == null ? null : (String) types(client).wantedTtl.invoke(session);
    }

    /** What a {@code Response} says; null for nothing. */
    static Object answer(Object client, Object response) throws Throwable {
        return types(client).answer.invoke(response);
    }

    /** @param session of the answer to a renewal */
    static String ttl(Object client, Object session) throws Throwable {
        return (String) types(client).ttl.invoke(session);
    }

    @Override
    public Sight look(String key, Access access) throws Throwable {
        Types types = types(client);
        Object query = types.newQuery.invoke(access.datacenter(), types.consistent);
        long sentAt = System.nanoTime();
        Object value = types.answer.invoke((Object) types.getValue.invoke(client, key, access.token(), query));
        if (value == null) {
            return Sight.nothing(sentAt);
        }
        return new Sight(
                sentAt,
                (String) types.session.invoke(value),
                (long) types.createIndex.invoke(value),
                (long) types.modifyIndex.invoke(value),
                (long) types.lockIndex.invoke(value));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Ecwid ecwid && ecwid.client == client;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(client);
    }
}
