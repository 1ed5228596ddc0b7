/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One server in one version, as {@link ServerContract} runs it.
 *
 * @param servlets whether the service is servlets, with their asynchronous requests
 */
record TestedServer(
        String name, Path jars, boolean servlets, String main, Map<String, String> words, List<String> sources) {
    CompiledService start() throws Exception {
        return new CompiledService(jars, main, words, sources.toArray(String[]::new));
    }

    /** @param libs folders of jars, {@code tomcat-10.1.50} and so on */
    static List<TestedServer> all(Path libs) throws IOException {
        List<TestedServer> all = new ArrayList<>();
        all.add(new TestedServer(
                "jdk/handlers", libs.resolve("tomcat-9.0.1"), false, "JdkContract", Map.of(), List.of("JdkContract")));
        try (Stream<Path> folders = Files.list(libs)) {
            for (Path jars : folders.sorted().toList()) {
                String name = jars.getFileName().toString();
                int dash = name.indexOf('-');
                String version = name.substring(dash + 1);
                int major =
                        Character.isDigit(version.charAt(0)) ? Integer.parseInt(version.replaceFirst("\\..*", "")) : 0;
                if (major == 0) {
                    // A client: jetty-client-12.1.14.
                    continue;
                }
                switch (name.substring(0, dash)) {
                    case "tomcat" ->
                        all.add(servlets(name, jars, major >= 10, "TomcatContract", Map.of(), "TomcatContract"));
                    case "jetty" -> {
                        if (major < 12) {
                            all.add(servlets(
                                    name,
                                    jars,
                                    major >= 11,
                                    "JettyContract",
                                    Map.of(
                                            "jettyservlet", "org.eclipse.jetty.servlet",
                                            "coreHandler", "context",
                                            "getHeader", "getHeader",
                                            "loggedStatus", "response.getCommittedMetaData().getStatus()"),
                                    "JettyContract"));
                        } else {
                            for (String edition : List.of("ee8", "ee9", "ee10")) {
                                String part = "org.eclipse.jetty." + edition + ".servlet";
                                if (Files.exists(jars.resolve("jetty-" + edition + "-servlet-" + version + ".jar"))) {
                                    all.add(servlets(
                                            name + "/" + edition,
                                            jars,
                                            !edition.equals("ee8"),
                                            "JettyContract",
                                            Map.of(
                                                    "jettyservlet",
                                                    part,
                                                    "coreHandler",
                                                    edition.equals("ee10")
                                                            ? "context"
                                                            : "context.getCoreContextHandler()",
                                                    "getHeader",
                                                    "getHeaders().get",
                                                    "loggedStatus",
                                                    "response.getStatus()"),
                                            "JettyContract"));
                                }
                            }
                            all.add(new TestedServer(
                                    name + "/handlers",
                                    jars,
                                    false,
                                    "JettyHandlers",
                                    Map.of(),
                                    List.of("JettyHandlers")));
                        }
                    }
                    case "undertow" -> {
                        if (Files.exists(jars.resolve("undertow-servlet-" + version + ".jar"))) {
                            all.add(servlets(
                                    name,
                                    jars,
                                    version.startsWith("2.3"),
                                    "UndertowContract",
                                    Map.of(),
                                    "UndertowContract"));
                        }
                        all.add(new TestedServer(
                                name + "/handlers",
                                jars,
                                false,
                                "UndertowHandlers",
                                Map.of(),
                                List.of("UndertowHandlers")));
                    }
                    default -> {}
                }
            }
        }
        return all;
    }

    private static TestedServer servlets(
            String name, Path jars, boolean jakarta, String main, Map<String, String> more, String source) {
        Map<String, String> words = new HashMap<>(more);
        words.put("servlet", jakarta ? "jakarta.servlet" : "javax.servlet");
        return new TestedServer(name, jars, true, main, words, List.of("ContractServlet", source));
    }
}
