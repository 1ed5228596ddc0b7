/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import com.example.http.Adapters;
import io.lockfence.it.Jdk;
import io.lockfence.it.units.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

/** {@link ClientContract} under the agent: a JVM of its own for each JDK's clients, and one for all libraries in all their versions. */
class ClientsIT {
    private static final String ROW = ": a dead lease sends nothing";

    @TestFactory
    Stream<DynamicContainer> ofTheJdk() {
        return Jdk.both().stream()
                .map(jdk ->
                        contract(jdk.toString(), jdk, List.of("TightJdkSync", "TightJdkAsync", "TightUrlConnection")));
    }

    @TestFactory
    DynamicContainer ofLibraries() {
        List<String> clients = new ArrayList<>();
        clients.addAll(each("okhttp", "TightOkHttpSync", "TightOkHttpAsync"));
        clients.addAll(each("apache4", "TightApache4Sync"));
        clients.addAll(each("apache5", "TightApache5Sync"));
        return contract("libraries", Jdk.oldest(), clients);
    }

    private static List<String> each(String library, String... adapters) {
        return Adapters.versions(library).stream()
                .flatMap(version -> Stream.of(adapters).map(adapter -> adapter + "@" + library + "-" + version))
                .toList();
    }

    private static DynamicContainer contract(String name, Jdk jdk, List<String> clients) {
        Set<String> expected = clients.stream().map(client -> client + ROW).collect(Collectors.toSet());
        return Rows.of(name, jdk, Rows.classPath(), ClientContract.class, expected, clients.toArray(String[]::new));
    }
}
