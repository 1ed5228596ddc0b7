/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.receiver;

import com.example.http.Request;

/** Which item a request is about. */
final class Item {
    private Item() {}

    static int of(Request request) {
        return Integer.parseInt(request.path().substring(request.path().lastIndexOf('/') + 1));
    }
}
