/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/** What is called otherwise in Spring 5, 6 and 7. */
final class SpringReply {
    private SpringReply() {}

    /** An enum in 5, an interface of other type since 6. */
    static int status(ResponseEntity<?> response) {
        try {
            Object status = ResponseEntity.class.getMethod("getStatusCode").invoke(response);
            Method value = status.getClass().getMethod("value");
            value.setAccessible(true);
            return (int) value.invoke(status);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A map before 7, none since. */
    static Map<String, List<String>> headers(HttpHeaders headers) {
        Map<String, List<String>> map = new HashMap<>();
        BiConsumer<String, List<String>> put =
                (name, values) -> map.put(name.toLowerCase(Locale.ROOT), new ArrayList<>(values));
        try {
            HttpHeaders.class.getMethod("forEach", BiConsumer.class).invoke(headers, put);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        return map;
    }
}
