/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.http.impl.client;

import java.io.IOException;
import org.apache.http.HttpHost;
import org.apache.http.HttpRequest;
import org.apache.http.protocol.HttpContext;
import org.apache.http.protocol.HttpRequestExecutor;

/** Of the stub of Apache HttpClient 4: nothing between the call and the attempt. */
public class InternalHttpClient {
    private final HttpRequestExecutor executor = new HttpRequestExecutor();

    /** What {@code execute} of the real one comes to. */
    public Object doExecute(HttpHost target, HttpRequest request, HttpContext context) throws IOException {
        return executor.execute(request, null, context);
    }
}
