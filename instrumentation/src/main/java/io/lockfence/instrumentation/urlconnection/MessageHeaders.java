/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.urlconnection;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** {@code sun.net.www.MessageHeader}, which the JDK does not export; see {@link UrlConnectionLibrary#opens()}. */
final class MessageHeaders {
    private static final MethodHandle REMOVE;
    private static final MethodHandle SET;

    static {
        try {
            Class<?> type = Class.forName("sun.net.www.MessageHeader", false, null);
            REMOVE = MethodHandles.lookup()
                    .findVirtual(type, "remove", MethodType.methodType(void.class, String.class))
                    .asType(MethodType.methodType(void.class, Object.class, String.class));
            SET = MethodHandles.lookup()
                    .findVirtual(type, "set", MethodType.methodType(void.class, String.class, String.class))
                    .asType(MethodType.methodType(void.class, Object.class, String.class, String.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private MessageHeaders() {}

    /** All fields of that name go; the value comes in their place, if it is not null. */
    static void set(Object header, String name, String value) throws Throwable {
        REMOVE.invokeExact(header, name);
        if (value != null) {
            SET.invokeExact(header, name, value);
        }
    }
}
