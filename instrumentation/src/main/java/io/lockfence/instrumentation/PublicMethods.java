/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.Arrays;

/** Finds public methods of a library's types, whose types are not visible here. Called once for each type, by what keeps the handles. */
public final class PublicMethods {
    private PublicMethods() {}

    /**
     * A public method, also one that an interface declares. Generic: called by {@code invoke} with whatever types the caller has.
     *
     * @param parameters simple names of their types
     * @throws MissingMember if there is none
     */
    public static MethodHandle method(Class<?> type, String name, String... parameters) {
        MethodHandle found = methodOrNull(type, name, parameters);
        if (found == null) {
            throw new MissingMember(type.getName() + " has no method " + name + Arrays.toString(parameters));
        }
        return found;
    }

    /** The same; null if there is none. */
    public static MethodHandle methodOrNull(Class<?> type, String name, String... parameters) {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name) && !method.isBridge() && fits(method.getParameterTypes(), parameters)) {
                try {
                    return MethodHandles.publicLookup().unreflect(method);
                } catch (IllegalAccessException e) {
                    // Declared by a class that is not public: the interface's declaration is looked for next.
                    continue;
                }
            }
        }
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Class<?> declaring : c.getInterfaces()) {
                MethodHandle found = methodOrNull(declaring, name, parameters);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    /** A public static method of a type that is found by its name, beside one that is there. */
    public static MethodHandle staticMethod(Class<?> neighbour, String type, String name, String... parameters) {
        try {
            return method(Class.forName(type, true, neighbour.getClassLoader()), name, parameters);
        } catch (ClassNotFoundException e) {
            throw new MissingMember(e);
        }
    }

    private static boolean fits(Class<?>[] types, String[] names) {
        if (types.length != names.length) {
            return false;
        }
        for (int i = 0; i < types.length; i++) {
            if (!types[i].getSimpleName().equals(names[i])) {
                return false;
            }
        }
        return true;
    }
}
