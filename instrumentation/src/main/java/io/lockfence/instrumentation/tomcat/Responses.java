/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.tomcat;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Inbound;
import io.lockfence.instrumentation.PublicMethods;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** {@code org.apache.coyote.Response}: answers in place of the service's. */
final class Responses {
    private record Types(
            MethodHandle request,
            MethodHandle committed,
            MethodHandle status,
            MethodHandle setStatus,
            MethodHandle setMessage,
            MethodHandle headers,
            MethodHandle setHeader,
            MethodHandle language,
            MethodHandle setLocale,
            MethodHandle setEncoding,
            MethodHandle charset,
            MethodHandle listener,
            MethodHandle reset,
            MethodHandle setType,
            MethodHandle setLength,
            MethodHandle trailers,
            MethodHandle setTrailers,
            MethodHandle write,
            Set<Object> commits) {}

    private static final ClassValue<Types> TYPES = new ClassValue<>() {
        @Override
        protected Types computeValue(Class<?> response) {
            return new Types(
                    PublicMethods.method(response, "getRequest"),
                    PublicMethods.method(response, "isCommitted"),
                    PublicMethods.method(response, "getStatus"),
                    PublicMethods.method(response, "setStatus", "int"),
                    PublicMethods.method(response, "setMessage", "String"),
                    PublicMethods.method(response, "getMimeHeaders"),
                    PublicMethods.method(response, "setHeader", "String", "String"),
                    PublicMethods.method(response, "getContentLanguage"),
                    PublicMethods.method(response, "setLocale", "Locale"),
                    PublicMethods.method(response, "setCharacterEncoding", "String"),
                    PublicMethods.methodOrNull(response, "getCharset"),
                    PublicMethods.method(response, "getWriteListener"),
                    PublicMethods.method(response, "reset"),
                    PublicMethods.method(response, "setContentTypeNoCharset", "String"),
                    PublicMethods.method(response, "setContentLength", "long"),
                    PublicMethods.method(response, "getTrailerFields"),
                    PublicMethods.method(response, "setTrailerFields", "Supplier"),
                    PublicMethods.method(response, "doWrite", "ByteBuffer"),
                    Set.of(
                            Coyote.code(response, "COMMIT"),
                            Coyote.code(response, "CLOSE"),
                            Coyote.code(response, "CLIENT_FLUSH")));
        }
    };

    /** Of {@code MimeHeaders}. */
    private record Fields(MethodHandle size, MethodHandle name, MethodHandle value, MethodHandle remove) {}

    private static final ClassValue<Fields> FIELDS = new ClassValue<>() {
        @Override
        protected Fields computeValue(Class<?> headers) {
            return new Fields(
                    PublicMethods.method(headers, "size"),
                    PublicMethods.method(headers, "getName", "int"),
                    PublicMethods.method(headers, "getValue", "int"),
                    PublicMethods.method(headers, "removeHeader", "String"));
        }
    };

    private static final ClassValue<MethodHandle> BELOW = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> response) {
            return PublicMethods.method(response, "getCoyoteResponse");
        }
    };

    private Responses() {}

    /** The service does not run, whatever becomes of this. */
    static void answer(Object servletResponse, Inbound inbound) {
        try {
            Object response = BELOW.get(servletResponse.getClass()).invoke(servletResponse);
            Types types = TYPES.get(response.getClass());
            types.setStatus().invoke(response, inbound.answer().status());
            write(types, response, inbound.answer());
        } catch (IOException e) {
            // The client has gone: the server finds that out by itself.
        } catch (Throwable t) {
            Seams.fault(t);
        }
        inbound.replaced();
    }

    /** @return whether what is written is not to be */
    static boolean writing(Object response, ByteBuffer content) {
        if (!replaced(response)) {
            return false;
        }
        content.position(content.limit());
        return true;
    }

    static void acting(Object response, Object code) {
        Types types = TYPES.get(response.getClass());
        if (types.commits().contains(code)) {
            replaced(response);
        }
    }

    /** Replaces the response if it is about to be committed and a refusal stands behind it. */
    private static boolean replaced(Object response) {
        try {
            Types types = TYPES.get(response.getClass());
            Inbound inbound = Inbound.of(types.request().invoke(response));
            if (inbound == null) {
                return false;
            }
            if (inbound.isReplaced()) {
                return inbound.answer() == null;
            }
            if ((boolean) types.committed().invoke(response)) {
                return false;
            }
            Answer answer = inbound.instead((int) types.status().invoke(response));
            if (answer == null) {
                return false;
            }
            try {
                if (Coyote.isHttp1(types.request().invoke(response))) {
                    // As Tomcat does after a 500; after some of them, those of timeouts, it closes whatever the status
                    // says.
                    types.setHeader().invoke(response, "Connection", "close");
                }
                write(types, response, answer);
            } catch (IOException e) {
                // The client has gone: the server finds that out by itself.
            }
            inbound.replaced();
            return true;
        } catch (Throwable t) {
            Seams.fault(t);
            return false;
        }
    }

    private static void write(Types types, Object response, Answer answer) throws Throwable {
        clear(types, response);
        types.setStatus().invoke(response, answer.status());
        types.setType().invoke(response, answer.contentType());
        types.setLength().invoke(response, (long) answer.body().length);
        if (answer.retryAfter() > 0) {
            types.setHeader().invoke(response, "Retry-After", Integer.toString(answer.retryAfter()));
        }
        types.write().invoke(response, ByteBuffer.wrap(answer.body()));
    }

    /** Not by {@code reset()} alone: that would also take the listener of an asynchronous writer from it. */
    private static void clear(Types types, Object response) throws Throwable {
        Object headers = types.headers().invoke(response);
        Fields fields = FIELDS.get(headers.getClass());
        Map<String, String> kept = new LinkedHashMap<>();
        Set<String> dropped = new LinkedHashSet<>();
        for (int i = 0; i < (int) fields.size().invoke(headers); i++) {
            String name = fields.name().invoke(headers, i).toString();
            if (Inbound.survives(name)) {
                kept.put(name, fields.value().invoke(headers, i).toString());
            } else {
                dropped.add(name);
            }
        }
        for (String name : dropped) {
            fields.remove().invoke(headers, name);
        }
        if (types.trailers().invoke(response) != null) {
            types.setTrailers().invoke(response, null);
        }
        if (types.language().invoke(response) != null) {
            types.setLocale().invoke(response, Locale.ENGLISH);
        }
        types.setMessage().invoke(response, null);
        types.setEncoding().invoke(response, null);
        // Up to 10.0 a charset that was set stays, and would go on the content type.
        if (types.charset() != null && types.charset().invoke(response) != null) {
            if (types.listener().invoke(response) != null) {
                types.setEncoding().invoke(response, "UTF-8");
                return;
            }
            types.reset().invoke(response);
            for (Map.Entry<String, String> field : kept.entrySet()) {
                types.setHeader().invoke(response, field.getKey(), field.getValue());
            }
        }
    }
}
