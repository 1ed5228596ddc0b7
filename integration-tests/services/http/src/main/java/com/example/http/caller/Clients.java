/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.caller;

import com.example.http.Adapters;
import com.example.http.Client;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** One client of each name for the whole service, as services have it. Thread safe. */
final class Clients {
    private final Adapters adapters = new Adapters();
    private final Map<String, Client> clients = new ConcurrentHashMap<>();

    Client get(String name) {
        return clients.computeIfAbsent(name, adapters::client);
    }
}
