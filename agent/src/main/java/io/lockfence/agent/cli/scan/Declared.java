/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.Code.Annotation;
import io.lockfence.agent.cli.scan.EffectTable.Effect;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What a method without a body reads or writes, as its annotations say: requests of declarative HTTP clients, statements of repositories and mappers.
 *
 * @param detail a statement's text, a request's method; may be empty
 */
record Declared(Effect effect, Access access, String detail) {
    /** Endings of annotations that name a request's method, by their packages. */
    private static final Map<String, String> REQUESTS = Map.of(
            "Lorg/springframework/web/bind/annotation/", "Mapping;",
            "Lorg/springframework/web/service/annotation/", "Exchange;",
            "Ljakarta/ws/rs/", ";",
            "Ljavax/ws/rs/", ";",
            "Lretrofit2/http/", ";");

    private static final Set<String> METHODS = Set.of("get", "head", "options", "post", "put", "patch", "delete");

    /** Without one of these on the class, such annotations are a server's. */
    private static final Set<String> CLIENTS = Set.of(
            "Lorg/springframework/cloud/openfeign/FeignClient;",
            "Lorg/eclipse/microprofile/rest/client/inject/RegisterRestClient;");

    private static final String RETROFIT = "Lretrofit2/http/";
    private static final String EXCHANGE = "Lorg/springframework/web/service/annotation/";
    private static final String FEIGN = "Lfeign/RequestLine;";

    private static final Map<String, String> STATEMENTS = Map.of(
            "Lorg/apache/ibatis/annotations/Insert;", "MyBatis mapper",
            "Lorg/apache/ibatis/annotations/Update;", "MyBatis mapper",
            "Lorg/apache/ibatis/annotations/Delete;", "MyBatis mapper",
            "Lorg/jdbi/v3/sqlobject/statement/SqlUpdate;", "Jdbi",
            "Lorg/jdbi/v3/sqlobject/statement/SqlBatch;", "Jdbi",
            "Lorg/springframework/data/jpa/repository/Modifying;", "Spring Data repository",
            "Lorg/springframework/data/jdbc/repository/query/Modifying;", "Spring Data repository");

    /**
     * Judges a method of an interface.
     *
     * @param implemented whether a class of the service implements the interface: then it may be a server's
     * @return null if nothing is known of it
     */
    static Declared of(List<Annotation> ofClass, List<Annotation> ofMethod, boolean implemented) {
        boolean client = ofClass.stream().anyMatch(annotation -> CLIENTS.contains(annotation.type()));
        for (Annotation annotation : ofMethod) {
            String type = annotation.type();
            if (STATEMENTS.containsKey(type)) {
                return statement(STATEMENTS.get(type), annotation, ofMethod);
            }
            if (type.equals(FEIGN)) {
                return request(String.valueOf(annotation.values().get("value")).strip());
            }
            boolean certain = client || type.startsWith(RETROFIT) || (type.startsWith(EXCHANGE) && !implemented);
            String method = certain ? requestMethod(annotation) : null;
            if (method != null) {
                return request(method);
            }
        }
        return null;
    }

    private static Declared statement(String title, Annotation annotation, List<Annotation> all) {
        Object sql = annotation.values().get("value");
        for (Annotation other : all) {
            if (sql == null && other.type().endsWith("/Query;")) {
                sql = other.values().get("value");
            }
        }
        return new Declared(
                new Effect(Set.of(), Set.of(), Kind.DATABASE, Access.WRITE, title),
                Access.WRITE,
                sql instanceof String text ? Accesses.shortened(text) : "");
    }

    /** {@code POST} for {@code @PostMapping}, {@code @POST} or {@code @RequestMapping(method = POST)}; null if it is none of them. */
    private static String requestMethod(Annotation annotation) {
        for (Map.Entry<String, String> request : REQUESTS.entrySet()) {
            String type = annotation.type();
            if (type.startsWith(request.getKey()) && type.endsWith(request.getValue())) {
                String word = type.substring(
                        request.getKey().length(),
                        type.length() - request.getValue().length());
                if (METHODS.contains(word.toLowerCase(Locale.ROOT))) {
                    return word;
                }
                if (word.equals("Request") || word.equals("Http") || word.equals("HTTP")) {
                    return annotation.values().get("method") instanceof String method ? method : "GET";
                }
            }
        }
        return null;
    }

    /** @param line begins with the request's method */
    private static Declared request(String line) {
        Accesses.Told told = Accesses.method(line.split(" ", 2)[0]);
        return new Declared(
                new Effect(Set.of(), Set.of(), Kind.HTTP, Access.DEPENDS, "HTTP client"), told.access(), told.detail());
    }
}
