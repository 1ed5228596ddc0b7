/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.http.Adapters;
import com.example.http.Client;
import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicContainer;
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
    List<DynamicContainer> eachClientUnderstandsEachServer() {
        Adapters adapters = new Adapters();
        List<DynamicContainer> containers = new ArrayList<>();
        for (String serverName : Matrix.SERVERS) {
            containers.add(DynamicContainer.dynamicContainer(serverName, pairs(adapters, serverName)));
        }
        return containers;
    }

    private static List<DynamicTest> pairs(Adapters adapters, String serverName) {
        List<DynamicTest> tests = new ArrayList<>();
        for (String clientName : Matrix.CLIENTS) {
            tests.add(DynamicTest.dynamicTest(
                    clientName + " -> " + serverName, () -> exchanges(adapters, clientName, serverName)));
        }
        return tests;
    }

    private static void exchanges(Adapters adapters, String clientName, String serverName) throws Exception {
        try (Server server = adapters.server(serverName);
                Client client = adapters.client(clientName)) {
            String url = "http://127.0.0.1:" + server.start(ECHO);
            Reply got = client.send("GET", url + "/stock/1", null);
            assertThat(got.status()).isEqualTo(200);
            assertThat(got.body()).isEqualTo("GET /stock/1 ");
            assertThat(got.header("x-seen")).isEqualTo("yes");
            Client.Call call = client.build("PUT", url + "/stock/%31", "tür");
            Reply put = call.send();
            assertThat(put.status()).isEqualTo(201);
            assertThat(put.body()).isEqualTo("PUT /stock/1 tür");
            assertThat(put.header("content-type").replace(" ", "")).isEqualToIgnoringCase("text/plain;charset=utf-8");
            assertThat(client.send("DELETE", url + "/stock/2", null).body()).isEqualTo("DELETE /stock/2 ");
            assertThat(client.send("POST", url + "/stock/2", "x").body()).isEqualTo("POST /stock/2 x");
        }
    }
}
