/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.http.Adapters;
import io.lockfence.it.Build;
import io.lockfence.it.Jdk;
import io.lockfence.it.ServiceProcess;
import io.lockfence.it.units.Rows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link ClientContract} under the agent: JVMs of their own for each JDK's clients, and one for all libraries in all their versions. */
class ClientsIT {
    private static final List<String> OF_THE_JDK = List.of("TightJdkSync", "TightJdkAsync", "TightUrlConnection");

    @TempDir
    static Path folder;

    private static Path certificate;

    @BeforeAll
    static void makeCertificate() throws Exception {
        certificate = Certificate.in(folder);
    }

    static Stream<Jdk> jdks() {
        return Jdk.both().stream();
    }

    @TestFactory
    Stream<DynamicContainer> ofTheJdk() {
        return jdks().map(jdk -> contract(jdk.toString(), jdk, List.of(), OF_THE_JDK));
    }

    @TestFactory
    Stream<DynamicContainer> ofTheJdkInUseBeforeTheAgent() throws IOException {
        List<String> early = List.of("-javaagent:" + early());
        return jdks().map(jdk -> contract(jdk.toString(), jdk, early, List.of("JdkSync", "JdkAsync", "UrlConnection")));
    }

    @TestFactory
    DynamicContainer ofLibraries() {
        List<String> clients = new ArrayList<>();
        clients.addAll(each("okhttp", "TightOkHttpSync", "TightOkHttpAsync"));
        clients.addAll(each("apache4", "TightApache4Sync"));
        clients.addAll(each("apache4async", "TightApache4Async"));
        clients.addAll(each("apache5", "TightApache5Sync", "TightApache5Async"));
        clients.addAll(each("spring-web", "SpringRestTemplate"));
        clients.addAll(each("feign", "Feign"));
        clients.addAll(each("retrofit", "RetrofitCalls"));
        clients.addAll(each("jersey", "Jersey"));
        // Reactor Netty 1.3 has TLS only with netty's QUIC beside it.
        Adapters.versions("webflux").stream()
                .filter(version -> !version.startsWith("7."))
                .forEach(version -> clients.add("SecureWebClient@webflux-" + version));
        Adapters.versions("spring-web").stream()
                .filter(version -> !version.startsWith("5."))
                .forEach(version -> clients.add("SpringRestClient@spring-web-" + version));
        return contract("libraries", Jdk.oldest(), List.of(), clients);
    }

    /** What a service does not use, no agent should have it load. */
    @ParameterizedTest
    @MethodSource("jdks")
    void theJdksClientsAreNotLoadedBeforeTheServiceUsesThem(Jdk jdk) throws Exception {
        try (ServiceProcess process = ServiceProcess.builder("idle")
                .jdk(jdk)
                .jvm("-javaagent:" + Build.agentJar(), "-Xlog:class+load")
                .main(Rows.classPath(), Idle.class.getName())
                .start()) {
            process.await("^end$", Duration.ofSeconds(60));
            assertThat(process.lines())
                    .anyMatch(line -> line.contains("io.lockfence.instrumentation.javahttp.JavaHttpLibrary"))
                    .noneMatch(line -> line.contains(" jdk.internal.net.http.")
                            || line.contains(" java.net.http.")
                            || line.contains(" sun.net.www.protocol.http."));
        }
    }

    /** A service that does nothing for as long as the agent's own threads take. */
    static final class Idle {
        private Idle() {}

        public static void main(String[] arguments) throws InterruptedException {
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().equals("lockfence-warm-up")) {
                    thread.join();
                }
            }
            System.out.println("end");
        }
    }

    private static List<String> each(String library, String... adapters) {
        return Adapters.versions(library).stream()
                .flatMap(version -> Stream.of(adapters).map(adapter -> adapter + "@" + library + "-" + version))
                .toList();
    }

    private static DynamicContainer contract(String name, Jdk jdk, List<String> options, List<String> clients) {
        Set<String> expected = clients.stream()
                .map(client -> client + (client.startsWith("Secure") ? ": over TLS a dead" : ": a dead")
                        + " lease sends nothing")
                .collect(Collectors.toSet());
        List<String> arguments = new ArrayList<>(List.of(certificate.toString()));
        arguments.addAll(clients);
        return Rows.of(
                name, jdk, options, Rows.classPath(), ClientContract.class, expected, arguments.toArray(String[]::new));
    }

    /** A jar that says no more than what its agent is; the class is on the class path. */
    private static Path early() throws IOException {
        Path jar = folder.resolve("early.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(new Attributes.Name("Premain-Class"), EarlyClients.class.getName());
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            out.finish();
        }
        return jar;
    }
}
