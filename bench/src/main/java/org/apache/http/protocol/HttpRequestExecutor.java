/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.http.protocol;

import org.apache.http.HttpClientConnection;
import org.apache.http.HttpRequest;

/** Of the stub of Apache HttpClient 4: sends nothing. */
public class HttpRequestExecutor {
    private HttpRequest last;

    /** Returns the request before this one. */
    public Object execute(HttpRequest request, HttpClientConnection connection, HttpContext context) {
        HttpRequest before = last;
        last = request;
        return before;
    }
}
