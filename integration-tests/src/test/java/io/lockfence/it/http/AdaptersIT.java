/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import com.example.http.Adapters;
import com.example.http.Client;
import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Server;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The test services' own parts, without Lockfence: each client understands each server. */
class AdaptersIT {
    private static final Handler ECHO = request -> {
        return new Reply(
                request.method().equals("PUT") ? 201 : 200,
                Map.of("content-type", List.of("text/plain;charset=utf-8"), "x-seen", List.of("yes")),
                request.method() + " " + request.path() + " " + request.body());
    };

    @TestFactory
    @SuppressWarnings("try") // Nothing interrupts this thread.
    Stream<DynamicTest> eachServerUnderstandsEachClient() {
        Adapters adapters = new Adapters();
        Map<String, Client> clients = new HashMap<>();
        return Matrix.plainServers()
                .map(serverName -> DynamicTest.dynamicTest(serverName, () -> {
                    try (Server server = adapters.server(serverName)) {
                        String url = "http://127.0.0.1:" + server.start(ECHO);
                        assertAll(Matrix.CLIENTS.stream().map(name -> () -> {
                            try {
                                exchanges(clients.computeIfAbsent(name, adapters::client), url);
                            } catch (Throwable e) {
                                throw new AssertionError(name + ": " + e, e);
                            }
                        }));
                    }
                }));
    }

    private static void exchanges(Client client, String url) throws Exception {
        Reply got = client.send("GET", url + "/stock/1", null);
        assertThat(got.status()).isEqualTo(200);
        assertThat(got.body()).isEqualTo("GET /stock/1 ");
        assertThat(got.header("x-seen")).isEqualTo("yes");
        Reply put = client.build("PUT", url + "/stock/%31", "tür").send();
        assertThat(put.status()).isEqualTo(201);
        assertThat(put.body()).isEqualTo("PUT /stock/1 tür");
        assertThat(put.header("content-type").replace(" ", "")).isEqualToIgnoringCase("text/plain;charset=utf-8");
        assertThat(client.send("DELETE", url + "/stock/2", null).body()).isEqualTo("DELETE /stock/2 ");
        assertThat(client.send("POST", url + "/stock/2", "x").body()).isEqualTo("POST /stock/2 x");
    }
}
