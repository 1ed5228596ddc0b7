/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Handler;
import com.example.http.Reply;
import com.example.http.Request;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A handler as a servlet of Jakarta EE, mapped to everything. */
public final class JakartaServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Handler handler;

    public JakartaServlet(Handler handler) {
        this.handler = handler;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Map<String, List<String>> headers = new HashMap<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            headers.put(name.toLowerCase(Locale.ROOT), Collections.list(request.getHeaders(name)));
        }
        String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Reply reply;
        try {
            reply = handler.handle(new Request(request.getMethod(), request.getPathInfo(), headers, body));
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
        response.setStatus(reply.status());
        reply.headers().forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
        response.getOutputStream().write(reply.body().getBytes(StandardCharsets.UTF_8));
    }
}
