/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Members of a library as method handles over {@code Object} alone. To be found once for each class loader and kept; each throws
 * {@link MissingMember} where the library has no such member.
 */
public final class Handles {
    private Handles() {}

    /** A class of the library by its name, as a class of the same library sees it. Not initialised. */
    public static Class<?> type(Class<?> neighbour, String name) {
        try {
            return Class.forName(name, false, neighbour.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new MissingMember(e);
        }
    }

    /** A method, static or not, that the class declares or inherits; of any visibility. */
    public static MethodHandle method(Class<?> type, String name, Class<?>... parameters) {
        return generic(unreflect(find(type, name, parameters)));
    }

    /** The first of several names that the class has: for those that differ between versions. */
    public static MethodHandle methodOf(Class<?> type, String[] names, Class<?>... parameters) {
        for (String name : names) {
            if (has(type, name, parameters)) {
                return method(type, name, parameters);
            }
        }
        throw new MissingMember(type + " has none of " + String.join(", ", names));
    }

    /** Whether the class declares or inherits a method. */
    public static boolean has(Class<?> type, String name, Class<?>... parameters) {
        return lookUp(type, name, parameters) != null;
    }

    public static MethodHandle constructor(Class<?> type, Class<?>... parameters) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(parameters);
            constructor.setAccessible(true);
            return generic(MethodHandles.lookup().unreflectConstructor(constructor));
        } catch (ReflectiveOperationException e) {
            throw new MissingMember(e);
        }
    }

    /** Reads a field that the class declares or inherits. */
    public static MethodHandle getter(Class<?> type, String name) {
        try {
            return generic(MethodHandles.lookup().unreflectGetter(field(type, name)));
        } catch (IllegalAccessException e) {
            throw new MissingMember(e);
        }
    }

    /** Whether the class itself declares a field. */
    public static boolean declares(Class<?> type, String name) {
        return Arrays.stream(type.getDeclaredFields())
                .anyMatch(field -> field.getName().equals(name));
    }

    /** Writes a field that the class declares or inherits. */
    public static MethodHandle setter(Class<?> type, String name) {
        try {
            return generic(MethodHandles.lookup().unreflectSetter(field(type, name)));
        } catch (IllegalAccessException e) {
            throw new MissingMember(e);
        }
    }

    /** The value of a static field. */
    public static Object constant(Class<?> type, String name) {
        try {
            return field(type, name).get(null);
        } catch (IllegalAccessException e) {
            throw new MissingMember(e);
        }
    }

    private static MethodHandle generic(MethodHandle handle) {
        return handle.asFixedArity().asType(handle.type().generic());
    }

    private static MethodHandle unreflect(Method method) {
        try {
            method.setAccessible(true);
            return MethodHandles.lookup().unreflect(method);
        } catch (IllegalAccessException e) {
            throw new MissingMember(e);
        }
    }

    private static Method find(Class<?> type, String name, Class<?>[] parameters) {
        Method found = lookUp(type, name, parameters);
        if (found == null) {
            throw new MissingMember(type + " has no method " + name);
        }
        return found;
    }

    private static Method lookUp(Class<?> type, String name, Class<?>[] parameters) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            try {
                return c.getDeclaredMethod(name, parameters);
            } catch (NoSuchMethodException e) {
                // Maybe a supertype declares it.
            }
        }
        try {
            return type.getMethod(name, parameters);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    private static Field field(Class<?> type, String name) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            try {
                Field field = c.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException e) {
                // Maybe a supertype declares it.
            }
        }
        throw new MissingMember(type + " has no field " + name);
    }
}
