/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** An agent that comes before ours, and uses the JDK's clients: their classes are loaded before they could be woven. */
public final class EarlyClients {
    private EarlyClients() {}

    /** Called by the JVM. */
    public static void premain(String arguments) throws Exception {
        try (StubServer server = new StubServer()) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(server.url("/early"))).build();
            HttpClient.newHttpClient().send(request, BodyHandlers.discarding());
            URI.create(server.url("/early")).toURL().openStream().close();
        }
    }
}
