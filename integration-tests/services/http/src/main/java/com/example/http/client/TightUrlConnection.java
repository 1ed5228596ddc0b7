/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import java.net.HttpURLConnection;

/** With an answer to challenges. */
public final class TightUrlConnection extends UrlConnection {
    @Override
    void prepare(HttpURLConnection connection) {
        connection.setAuthenticator(new TightJdkSync.Secret());
    }
}
