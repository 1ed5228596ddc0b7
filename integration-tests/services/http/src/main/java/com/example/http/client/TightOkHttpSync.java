/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import okhttp3.Credentials;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;

/** With an answer to challenges. */
public final class TightOkHttpSync extends OkHttpSync {
    public TightOkHttpSync() {
        super(builder());
    }

    static OkHttpClient.Builder builder() {
        Dispatcher dispatcher = new Dispatcher();
        dispatcher.setMaxRequests(2);
        return new OkHttpClient.Builder()
                .dispatcher(dispatcher)
                .authenticator((route, response) -> response.request().header("Authorization") != null
                        ? null
                        : response.request()
                                .newBuilder()
                                .header("Authorization", Credentials.basic("user", "secret"))
                                .build());
    }
}
