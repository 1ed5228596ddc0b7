/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Handler;
import com.example.http.Server;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/**
 * A servlet in an embedded Jetty, 9.4 and later. All by reflection: what it needs is called the same in all versions, but lies in other packages, and has other
 * supertypes.
 */
public final class JettyServer implements Server {
    private Object server;

    @Override
    public int start(Handler handler) throws Exception {
        Class<?> serverClass = Class.forName("org.eclipse.jetty.server.Server");
        server = serverClass.getConstructor().newInstance();
        Object connector = Class.forName("org.eclipse.jetty.server.ServerConnector")
                .getConstructor(serverClass)
                .newInstance(server);
        call(connector, "setHost", "127.0.0.1");
        call(connector, "setPort", 0);
        call(server, "addConnector", connector);
        Object context = servlet("ServletContextHandler").getConstructor().newInstance();
        call(context, "setContextPath", "/");
        call(context, "addServlet", holder(handler), "/*");
        call(server, "setHandler", context);
        call(server, "start");
        return (int) call(connector, "getLocalPort");
    }

    private static Object holder(Handler handler) throws ReflectiveOperationException {
        for (Constructor<?> constructor : servlet("ServletHolder").getConstructors()) {
            Class<?>[] types = constructor.getParameterTypes();
            if (types.length == 1 && types[0].getSimpleName().equals("Servlet")) {
                return constructor.newInstance(Servlets.of(types[0], handler));
            }
        }
        throw new IllegalStateException("no holder of a servlet");
    }

    private static Class<?> servlet(String simpleName) throws ClassNotFoundException {
        try {
            return Class.forName("org.eclipse.jetty.ee10.servlet." + simpleName);
        } catch (ClassNotFoundException e) {
            return Class.forName("org.eclipse.jetty.servlet." + simpleName);
        }
    }

    private static Object call(Object target, String name, Object... args) throws ReflectiveOperationException {
        for (Method method : target.getClass().getMethods()) {
            if (method.getName().equals(name) && takes(method.getParameterTypes(), args)) {
                return method.invoke(target, args);
            }
        }
        throw new NoSuchMethodException(target.getClass() + "." + name);
    }

    private static boolean takes(Class<?>[] types, Object[] args) {
        if (types.length != args.length) {
            return false;
        }
        for (int i = 0; i < args.length; i++) {
            if (!types[i].isInstance(args[i]) && !(types[i] == int.class && args[i] instanceof Integer)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws ReflectiveOperationException {
        call(server, "stop");
    }
}
