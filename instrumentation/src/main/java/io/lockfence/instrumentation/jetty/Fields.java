/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import io.lockfence.bootstrap.Answer;
import io.lockfence.instrumentation.Inbound;
import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.List;

/** {@code MetaData.Response} and {@code HttpFields}, which differ between 9.4, 10 and 12: the head of an answer of ours. */
final class Fields {
    /** {@code (version, status, reason, fields, length)}, in 12 {@code (status, reason, version, fields, length)}. */
    private record Types(MethodHandle response, boolean versionFirst, MethodHandle fields) {}

    private static final ClassValue<Types> TYPES = new ClassValue<>() {
        @Override
        protected Types computeValue(Class<?> neighbour) {
            try {
                ClassLoader loader = neighbour.getClassLoader();
                Class<?> response = Class.forName("org.eclipse.jetty.http.MetaData$Response", true, loader);
                Class<?> fields = Class.forName("org.eclipse.jetty.http.HttpFields", true, loader);
                MethodHandles.Lookup lookup = MethodHandles.publicLookup();
                Constructor<?> constructor = Arrays.stream(response.getConstructors())
                        .filter(c -> c.getParameterCount() == 5)
                        .findFirst()
                        .orElseThrow();
                return new Types(
                        lookup.unreflectConstructor(constructor),
                        constructor.getParameterTypes()[1] == int.class,
                        fields.isInterface()
                                ? PublicMethods.method(fields, "build")
                                : lookup.unreflectConstructor(fields.getConstructor()));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    /** Of one implementation of {@code HttpFields}. */
    private record Adders(MethodHandle field, MethodHandle text) {}

    private static final ClassValue<Adders> ADDERS = new ClassValue<>() {
        @Override
        protected Adders computeValue(Class<?> fields) {
            return new Adders(
                    PublicMethods.method(fields, "add", "HttpField"),
                    PublicMethods.method(fields, "put", "String", "String"));
        }
    };

    private static final ClassValue<MethodHandle> NAME = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> field) {
            return PublicMethods.method(field, "getName");
        }
    };

    /** {@code getValuesList(String)} of the fields of a request. */
    private static final ClassValue<MethodHandle> VALUES = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> fields) {
            return PublicMethods.method(fields, "getValuesList", "String");
        }
    };

    private Fields() {}

    @SuppressWarnings("unchecked")
    static List<String> values(Object fields, String name) throws Throwable {
        return List.copyOf((List<String>) VALUES.get(fields.getClass()).invoke(fields, name));
    }

    /** @param before the service's, of which some survive */
    static Object response(Answer answer, Object version, Object before) throws Throwable {
        Types types = TYPES.get(before.getClass());
        Object fields = types.fields().invoke();
        Adders adders = ADDERS.get(fields.getClass());
        for (Object field : (Iterable<?>) before) {
            if (Inbound.survives((String) NAME.get(field.getClass()).invoke(field))) {
                adders.field().invoke(fields, field);
            }
        }
        adders.text().invoke(fields, "Content-Type", answer.contentType());
        adders.text().invoke(fields, "Content-Length", Integer.toString(answer.body().length));
        if (answer.retryAfter() > 0) {
            adders.text().invoke(fields, "Retry-After", Integer.toString(answer.retryAfter()));
        }
        long length = answer.body().length;
        return types.versionFirst()
                ? types.response().invoke(version, answer.status(), null, fields, length)
                : types.response().invoke(answer.status(), null, version, fields, length);
    }
}
