/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The clients and servers, as {@code com.example.http.Adapters} names them: adapter, and the library's version. */
final class Matrix {
    static final List<String> CLIENTS = List.of(
            "JdkSync",
            "OkHttpAsync@okhttp-5.5.1",
            "Apache5Sync@apache5-5.6.5",
            "JdkAsync",
            "UrlConnection",
            "OkHttpSync@okhttp-5.5.1",
            "OkHttpSync@okhttp-4.12.0",
            "OkHttpAsync@okhttp-4.12.0",
            "OkHttpSync@okhttp-3.12.0",
            "OkHttpAsync@okhttp-3.12.0",
            "Apache4Sync@apache4-4.5",
            "Apache4Sync@apache4-4.5.14",
            "Apache5Sync@apache5-5.0",
            "Apache4Async@apache4async-4.1",
            "Apache4Async@apache4async-4.1.5",
            "Apache5Async@apache5-5.0",
            "Apache5Async@apache5-5.6.5",
            "SpringRestTemplate@spring-web-5.3.39",
            "SpringRestTemplate@spring-web-7.0.10",
            "SpringRestClient@spring-web-6.2.19",
            "SpringRestClient@spring-web-7.0.10",
            "Feign@feign-10.1.0",
            "Feign@feign-13.13",
            "RetrofitCalls@retrofit-2.5.0",
            "RetrofitCalls@retrofit-3.0.0",
            "Jersey@jersey-3.1.12",
            "Jersey@jersey-4.0.3",
            "JettyBlocking@jetty-client-9.4.0.v20161208",
            "JettyBlocking@jetty-client-9.4.58.v20250814",
            "JettyBlocking@jetty-client-10.0.0",
            "JettyBlocking@jetty-client-11.0.26",
            "JettyBlocking@jetty-client-12.0.0",
            "JettyBlocking@jetty-client-12.1.14",
            "WebClientBlocking@webflux-5.3.0",
            "WebClientBlocking@webflux-6.2.19",
            "WebClientBlocking@webflux-7.0.10");

    /** They talk to servers of gRPC, and to no others. */
    private static final List<String> GRPC_CLIENTS = List.of(
            "GrpcBlocking@grpc-1.85.1",
            "GrpcStreaming@grpc-1.85.1",
            "GrpcBlocking@grpc-1.40.0",
            "GrpcStreaming@grpc-1.40.0");

    static final List<String> SERVERS = List.of(
            "JdkServer",
            "TomcatServer@tomcat-9.0.1",
            "TomcatServer@tomcat-9.0.124",
            "TomcatServer@tomcat-10.0.2",
            "TomcatServer@tomcat-10.1.62",
            "TomcatServer@tomcat-11.0.0",
            "TomcatServer@tomcat-11.0.29",
            "JettyServer@jetty-9.4.0.v20161208",
            "JettyServer@jetty-9.4.58.v20250814",
            "JettyServer@jetty-10.0.0",
            "JettyServer@jetty-10.0.26",
            "JettyServer@jetty-11.0.0",
            "JettyServer@jetty-11.0.26",
            "JettyServer@jetty-12.0.0",
            "JettyServer@jetty-12.1.14",
            "UndertowServer@undertow-2.0.0.Final",
            "UndertowServer@undertow-2.4.4.Final",
            "WebFluxServer@webflux-5.3.0",
            "WebFluxServer@webflux-6.2.19",
            "WebFluxServer@webflux-7.0.10",
            "GrpcServer@grpc-1.40.0",
            "GrpcServer@grpc-1.85.1");

    /** Servers that every client is played with; the others are played with the first few. */
    private static final List<String> WITH_ALL = List.of("TomcatServer@tomcat-11.0.29", "JettyServer@jetty-12.1.14");

    private static final int FEW = 5;

    private Matrix() {}

    /** The clients that are played with a server. */
    static List<String> clients(String server) {
        if (isGrpc(server)) {
            return GRPC_CLIENTS;
        }
        return WITH_ALL.contains(server) ? CLIENTS : CLIENTS.subList(0, FEW);
    }

    static boolean isGrpc(String name) {
        return name.startsWith("Grpc");
    }

    /** Those that a request of HTTP/1.1 reaches. */
    static Stream<String> plainServers() {
        return SERVERS.stream().filter(server -> !isGrpc(server));
    }

    /** What is run, in Markdown: each adapter with the versions of its library. */
    static String table() {
        return "| | library | versions | through |\n|---|---|---|---|\n"
                + rows(
                        "out",
                        Stream.concat(CLIENTS.stream(), GRPC_CLIENTS.stream()).toList()) + rows("in", SERVERS);
    }

    private static String rows(String way, List<String> names) {
        Map<String, Set<String>> versions = new TreeMap<>();
        Map<String, Set<String>> adapters = new TreeMap<>();
        for (String name : names) {
            int at = name.indexOf('@');
            String adapter = at < 0 ? name : name.substring(0, at);
            String jars = at < 0 ? "jdk-17 and 25" : name.substring(at + 1);
            String library = jars.replaceAll("-\\d.*", "");
            versions.computeIfAbsent(library, key -> new TreeSet<>()).add(jars.substring(library.length() + 1));
            adapters.computeIfAbsent(library, key -> new TreeSet<>()).add(adapter);
        }
        StringBuilder rows = new StringBuilder();
        versions.forEach((library, of) -> rows.append("| ")
                .append(way)
                .append(" | ")
                .append(library)
                .append(" | ")
                .append(String.join(", ", of))
                .append(" | ")
                .append(String.join(", ", adapters.get(library)))
                .append(" |\n"));
        return rows.toString();
    }
}
