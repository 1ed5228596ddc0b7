/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.receiver;

import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Request;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Items that no database holds. */
final class Memory implements Handler {
    private final Map<Integer, String> values = new ConcurrentHashMap<>();

    @Override
    public Reply handle(Request request) {
        if (request.method().equals("GET")) {
            return Reply.text(200, values.getOrDefault(Item.of(request), "0"));
        }
        values.put(Item.of(request), request.body());
        return Reply.text(200, "kept");
    }
}
