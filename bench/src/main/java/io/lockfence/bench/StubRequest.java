/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bench;

import java.io.IOException;
import org.apache.http.HttpHost;
import org.apache.http.HttpRequest;
import org.apache.http.RequestLine;
import org.apache.http.impl.client.InternalHttpClient;
import org.apache.http.protocol.HttpContext;

/** A request of the stub client, with its host; keeps one header, as a real one does after the first. */
final class StubRequest implements HttpRequest, RequestLine, HttpHost, HttpContext {
    private final InternalHttpClient client = new InternalHttpClient();
    private String header;
    /** The last one that was sent. */
    String sent;

    Object send() throws IOException {
        return client.doExecute(this, this, this);
    }

    @Override
    public RequestLine getRequestLine() {
        return this;
    }

    @Override
    public String getMethod() {
        return "PUT";
    }

    @Override
    public String getUri() {
        return "/stock/42";
    }

    @Override
    public String toURI() {
        return "http://bench.internal";
    }

    @Override
    public Object getAttribute(String name) {
        return this;
    }

    @Override
    public void setHeader(String name, String value) {
        header = value;
        sent = value;
    }

    @Override
    public void removeHeaders(String name) {
        header = null;
    }

    /** Null for none. */
    String header() {
        return header;
    }
}
