/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.receiver;

import com.example.http.Client;
import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Request;

/** Items that the next service holds. */
final class Forward implements Handler {
    private final Client client;
    private final String url;

    Forward(Client client, String url) {
        this.client = client;
        this.url = url;
    }

    @Override
    public Reply handle(Request request) throws Exception {
        String body = request.method().equals("GET") ? null : request.body();
        Reply reply = client.send(request.method(), url + "/stock/" + Item.of(request), body);
        return new Reply(reply.status(), Reply.text(0, "").headers(), reply.body());
    }
}
