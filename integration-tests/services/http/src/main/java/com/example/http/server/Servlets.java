/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Handler;
import java.lang.reflect.Method;

/** Servlets of either kind, for containers whose versions differ in it and hardly in anything else. */
final class Servlets {
    private Servlets() {}

    /** The handler as what a method or constructor with that parameter takes. */
    static Object of(Class<?> servlet, Handler handler) {
        return servlet.getName().startsWith("javax.") ? new JavaxServlet(handler) : new JakartaServlet(handler);
    }

    /** The public method of that name and number of parameters whose last one is a servlet. */
    static Method taking(Class<?> owner, String name, Class<?> first) {
        for (Method method : owner.getMethods()) {
            Class<?>[] types = method.getParameterTypes();
            if (method.getName().equals(name)
                    && types.length == 3
                    && types[0] == first
                    && types[2].getSimpleName().equals("Servlet")) {
                return method;
            }
        }
        throw new IllegalStateException(owner + " has no " + name);
    }
}
