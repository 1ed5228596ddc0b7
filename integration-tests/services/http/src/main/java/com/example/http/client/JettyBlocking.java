/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Jetty's client, 9.4 to 12.1, by reflection: its types have moved twice, and are otherwise the same. One connection for each destination, so that
 * requests queue there.
 */
public final class JettyBlocking implements Client {
    private static final String ROOT = "org.eclipse.jetty.client.";

    private static final List<String> LISTENERS = List.of(
            "onRequestSuccess", "onResponseBegin", "onResponseHeaders", "onResponseContent", "onResponseSuccess");

    private final Object client;
    private volatile Runnable calledBack = () -> {};

    public JettyBlocking() throws Exception {
        client = Class.forName(ROOT + "HttpClient").getConstructor().newInstance();
        call(client, "setMaxConnectionsPerDestination", new Class<?>[] {int.class}, 1);
        call(client, "start", new Class<?>[0]);
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    public Call build(String method, String url, String body) {
        // Jetty's request objects are for one use: a second send waits for ever.
        return () -> reply(sent(request(method, url, body)));
    }

    private Object request(String method, String url, String body) throws Exception {
        Object request = call(client, "newRequest", new Class<?>[] {String.class}, url);
        call(request, "method", new Class<?>[] {String.class}, method);
        if (body != null) {
            content(request, body);
        }
        for (Method registration : type(request).getMethods()) {
            if (LISTENERS.contains(registration.getName())) {
                registration.invoke(request, listener(registration.getParameterTypes()[0]));
            }
        }
        return request;
    }

    /** By what its one abstract method does. */
    private Object listener(Class<?> type) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            calledBack.run();
            return null;
        });
    }

    @Override
    public boolean calledBack(Runnable each) {
        calledBack = each;
        return true;
    }

    private static Object sent(Object request) throws Exception {
        try {
            return call(request, "send", new Class<?>[0]);
        } catch (java.util.concurrent.ExecutionException e) {
            throw Unwrapped.of(e);
        }
    }

    /** What the body of a request is made of: the class that this version has. */
    private static void content(Object request, String body) throws Exception {
        for (String name : List.of("StringRequestContent", "util.StringRequestContent", "util.StringContentProvider")) {
            Class<?> type;
            try {
                type = Class.forName(ROOT + name);
            } catch (ClassNotFoundException e) {
                continue;
            }
            Constructor<?> constructor = type.getConstructor(String.class);
            Object content = constructor.newInstance(body);
            for (Method method : type(request).getMethods()) {
                if ((method.getName().equals("body") || method.getName().equals("content"))
                        && method.getParameterCount() == 1
                        && method.getParameterTypes()[0].isInstance(content)) {
                    method.invoke(request, content);
                    return;
                }
            }
        }
        throw new IllegalStateException("no content");
    }

    static Reply reply(Object response) throws Exception {
        Map<String, List<String>> headers = new HashMap<>();
        Object fields = call(response, "getHeaders", new Class<?>[0]);
        for (Object field : (Iterable<?>) fields) {
            String name = (String) call(field, "getName", new Class<?>[0]);
            headers.put(name.toLowerCase(Locale.ROOT), List.of((String) call(field, "getValue", new Class<?>[0])));
        }
        return new Reply((int) call(response, "getStatus", new Class<?>[0]), headers, (String)
                call(response, "getContentAsString", new Class<?>[0]));
    }

    /** The interface of requests, where it is. */
    static Class<?> type(Object request) throws ClassNotFoundException {
        try {
            return Class.forName(ROOT + "api.Request");
        } catch (ClassNotFoundException e) {
            return Class.forName(ROOT + "Request");
        }
    }

    static Object call(Object on, String name, Class<?>[] types, Object... arguments) throws Exception {
        Method method = on.getClass().getMethod(name, types);
        method.setAccessible(true);
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    @Override
    public void close() throws IOException {
        try {
            call(client, "stop", new Class<?>[0]);
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
