/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import java.net.InetAddress;
import java.util.List;
import okhttp3.Credentials;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;

/** With an answer to challenges, and two addresses for each host: after a failure there is another one to try. */
public final class TightOkHttpSync extends OkHttpSync {
    public TightOkHttpSync() {
        super(builder());
    }

    static OkHttpClient.Builder builder() {
        Dispatcher dispatcher = new Dispatcher();
        dispatcher.setMaxRequests(2);
        return new OkHttpClient.Builder()
                .dispatcher(dispatcher)
                .dns(host -> List.of(
                        InetAddress.getByName("127.0.0.1"), InetAddress.getByAddress(new byte[] {127, 0, 0, 1})))
                .authenticator((route, response) -> response.request().header("Authorization") != null
                        ? null
                        : response.request()
                                .newBuilder()
                                .header("Authorization", Credentials.basic("user", "secret"))
                                .build());
    }
}
