/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/** A path, compiled: reads its value from a call. Null-safe: where a step meets null, the value is null. Thread safe. */
final class Values {
    private static final MethodType STEP = MethodType.methodType(Object.class, Object.class);

    private final Path path;
    private final MethodHandle[] steps;

    private Values(Path path, MethodHandle[] steps) {
        this.path = path;
        this.steps = steps;
    }

    /**
     * Compiles a path.
     *
     * @param woven the rights of the class that declares the method
     * @param root the type of what the path begins with
     * @throws ReflectiveOperationException if a step finds nothing, or may not look there
     */
    static Values of(MethodHandles.Lookup woven, Path path, Class<?> root) throws ReflectiveOperationException {
        List<MethodHandle> steps = new ArrayList<>();
        Class<?> type = root;
        for (String name : path.steps()) {
            MethodHandle step = step(woven, type, name);
            type = step.type().returnType();
            steps.add(step.asType(STEP));
        }
        return new Values(path, steps.toArray(MethodHandle[]::new));
    }

    private static MethodHandle step(MethodHandles.Lookup woven, Class<?> type, String name)
            throws ReflectiveOperationException {
        String property = Character.toUpperCase(name.charAt(0)) + name.substring(1);
        for (String candidate : new String[] {name, "get" + property, "is" + property}) {
            Method method = method(type, candidate);
            if (method != null) {
                return rights(woven, method.getDeclaringClass(), method.getModifiers())
                        .unreflect(method);
            }
        }
        Field field = field(type, name);
        if (field != null) {
            return rights(woven, field.getDeclaringClass(), field.getModifiers())
                    .unreflectGetter(field);
        }
        throw new NoSuchFieldException(type.getName() + " has no method, getter or field " + name);
    }

    /** What is public wins over what is not: a public method of an interface can be called where that of its class cannot. */
    private static Method method(Class<?> type, String name) throws NoSuchFieldException {
        for (Method method : type.getMethods()) {
            if (fits(method, name)
                    && Modifier.isPublic(method.getDeclaringClass().getModifiers())) {
                return method;
            }
        }
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            for (Method method : declaring.getDeclaredMethods()) {
                if (fits(method, name)) {
                    return method;
                }
            }
        }
        for (Method method : type.getMethods()) {
            if (fits(method, name)) {
                return method;
            }
        }
        return null;
    }

    private static boolean fits(Method method, String name) {
        return method.getName().equals(name)
                && method.getParameterCount() == 0
                && method.getReturnType() != void.class
                && !method.isBridge()
                && !Modifier.isStatic(method.getModifiers());
    }

    private static Field field(Class<?> type, String name) {
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                if (field.getName().equals(name) && !Modifier.isStatic(field.getModifiers())) {
                    return field;
                }
            }
        }
        return null;
    }

    private static MethodHandles.Lookup rights(MethodHandles.Lookup woven, Class<?> declaring, int modifiers)
            throws IllegalAccessException {
        boolean open = Modifier.isPublic(modifiers) && Modifier.isPublic(declaring.getModifiers());
        return open ? woven : MethodHandles.privateLookupIn(declaring, woven);
    }

    /**
     * The value of a call.
     *
     * @throws Throwable what a getter of the service throws
     */
    Object of(Object self, Object[] arguments, Object result) throws Throwable {
        Object value = switch (path.root()) {
            case ARGUMENT -> arguments[path.argument()];
            case RESULT -> result;
            case THIS -> self;
        };
        for (MethodHandle step : steps) {
            if (value == null) {
                return null;
            }
            value = (Object) step.invokeExact(value);
        }
        return value;
    }
}
