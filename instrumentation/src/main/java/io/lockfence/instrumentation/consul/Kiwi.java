/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import io.lockfence.instrumentation.Handles;
import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** kiwiproject's consul-client: what is read of its requests and answers, and how it is asked. */
record Kiwi(Object client) implements Connection {
    private static final String PACKAGE = "org.kiwiproject.consul.";

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
        final MethodHandle token;
        final MethodHandle datacenter;
        final MethodHandle cas;
        final MethodHandle recurse;
        final MethodHandle newOptions;
        final MethodHandle withMode;
        final MethodHandle withToken;
        final MethodHandle withDatacenter;
        final MethodHandle build;
        final Object consistent;
        final MethodHandle getValue;
        final MethodHandle session;
        final MethodHandle createIndex;
        final MethodHandle modifyIndex;
        final MethodHandle lockIndex;
        final MethodHandle wantedTtl;
        final MethodHandle createdId;
        final MethodHandle ttl;
        final MethodHandle verb;
        final MethodHandle operationKey;

        Types(Class<?> neighbour) {
            Class<?> put = type(neighbour, "option.PutOptions");
            acquire = Handles.method(put, "getAcquire");
            release = Handles.method(put, "getRelease");
            token = Handles.method(put, "getToken");
            datacenter = Handles.method(put, "getDc");
            Class<?> delete = type(neighbour, "option.DeleteOptions");
            cas = Handles.method(delete, "getCas");
            recurse = Handles.method(delete, "getRecurse");
            Class<?> mode = type(neighbour, "option.ConsistencyMode");
            consistent = Handles.constant(mode, "CONSISTENT");
            Class<?> options = type(neighbour, "option.QueryOptions");
            Class<?> immutable = type(neighbour, "option.ImmutableQueryOptions");
            newOptions = PublicMethods.method(immutable, "builder");
            Class<?> builder = type(neighbour, "option.ImmutableQueryOptions$Builder");
            withMode = Handles.method(builder, "consistencyMode", mode);
            withToken = Handles.method(builder, "token", String.class);
            withDatacenter = Handles.method(builder, "datacenter", String.class);
            build = Handles.method(builder, "build");
            getValue = Handles.method(type(neighbour, "KeyValueClient"), "getValue", String.class, options);
            Class<?> value = type(neighbour, "model.kv.Value");
            session = Handles.method(value, "getSession");
            createIndex = Handles.method(value, "getCreateIndex");
            modifyIndex = Handles.method(value, "getModifyIndex");
            lockIndex = Handles.method(value, "getLockIndex");
            wantedTtl = Handles.method(type(neighbour, "model.session.Session"), "getTtl");
            createdId = Handles.method(type(neighbour, "model.session.SessionCreatedResponse"), "getId");
            ttl = Handles.method(type(neighbour, "model.session.SessionInfo"), "getTtl");
            Class<?> operation = type(neighbour, "model.kv.Operation");
            verb = Handles.method(operation, "verb");
            operationKey = Handles.method(operation, "key");
        }

        private static Class<?> type(Class<?> neighbour, String name) {
            return Handles.type(neighbour, PACKAGE + name);
        }
    }

    private static Types types(Object neighbour) {
        return TYPES.get(neighbour.getClass());
    }

    /** Null if the write neither acquires nor releases. */
    static Put put(Object client, String key, Object options) throws Throwable {
        if (key == null || options == null) {
            return null;
        }
        Types types = types(client);
        String acquires = text(types.acquire.invoke(options));
        String releases = text(types.release.invoke(options));
        if (acquires == null && releases == null) {
            return null;
        }
        Access access = new Access(text(types.token.invoke(options)), text(types.datacenter.invoke(options)));
        return new Put(new Kiwi(client), Put.plain(key), acquires, releases, access);
    }

    /** Whether a deletion is one of all keys that begin so. */
    static boolean recurses(Object client, Object options) throws Throwable {
        return options != null
                && ((Optional<?>) types(client).recurse.invoke(options)).equals(Optional.of(Boolean.TRUE));
    }

    /** Whether a deletion happens only if nobody has changed the key. */
    static boolean isConditional(Object client, Object options) throws Throwable {
        return options != null && ((Optional<?>) types(client).cas.invoke(options)).isPresent();
    }

    /** The keys that operations of a transaction acquire or give back, or delete. */
    static List<String> keysOf(Object client, Object[] operations, List<String> verbs) throws Throwable {
        Types types = types(client);
        List<String> keys = new ArrayList<>();
        for (Object operation : operations) {
            String key = verbs.contains((String) types.verb.invoke(operation))
                    ? text(types.operationKey.invoke(operation))
                    : null;
            if (key != null) {
                keys.add(Put.plain(key));
            }
        }
        return keys;
    }

    /** How long a session that is asked for shall live, as it is asked for; null for no bound. */
    static String wantedTtl(Object client, Object session) throws Throwable {
        return text(types(client).wantedTtl.invoke(session));
    }

    static String createdId(Object client, Object response) throws Throwable {
        return (String) types(client).createdId.invoke(response);
    }

    /** @param information an optional {@code SessionInfo}, which is there */
    static String ttl(Object client, Optional<?> information) throws Throwable {
        return text(types(client).ttl.invoke(information.orElseThrow()));
    }

    private static String text(Object optional) {
        return (String) ((Optional<?>) optional).orElse(null);
    }

    @Override
    public Sight look(String key, Access access) throws Throwable {
        Types types = types(client);
        Object options = types.withMode.invoke((Object) types.newOptions.invoke(), types.consistent);
        if (access.token() != null) {
            types.withToken.invoke(options, access.token());
        }
        if (access.datacenter() != null) {
            types.withDatacenter.invoke(options, access.datacenter());
        }
        Object built = types.build.invoke(options);
        long sentAt = System.nanoTime();
        Optional<?> found = (Optional<?>) types.getValue.invoke(client, key, built);
        if (found.isEmpty()) {
            return Sight.nothing(sentAt);
        }
        Object value = found.get();
        return new Sight(
                sentAt,
                text(types.session.invoke(value)),
                (long) types.createIndex.invoke(value),
                (long) types.modifyIndex.invoke(value),
                (long) types.lockIndex.invoke(value));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Kiwi kiwi && kiwi.client == client;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(client);
    }
}
