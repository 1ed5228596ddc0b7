/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.http.HttpClient;

/** With redirects and an answer to challenges. */
public final class TightJdkSync extends JdkSync {
    public TightJdkSync() {
        super(builder().build());
    }

    static HttpClient.Builder builder() {
        return HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.ALWAYS)
                .authenticator(new Secret());
    }

    /** User {@code user}, password {@code secret}. */
    static final class Secret extends Authenticator {
        @Override
        protected PasswordAuthentication getPasswordAuthentication() {
            return new PasswordAuthentication("user", "secret".toCharArray());
        }
    }
}
