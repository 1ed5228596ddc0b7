/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What {@code result} is in paths: what the method returns, or what is in the {@code CompletionStage} or {@code Optional} that it returns. */
final class ResultType {
    private ResultType() {}

    /**
     * @param name of the method
     * @param type its parameters and result, erased
     */
    static Class<?> of(Class<?> declaring, String name, MethodType type) throws NoSuchMethodException {
        if (!wraps(type.returnType())) {
            return type.returnType();
        }
        for (Method method : declaring.getDeclaredMethods()) {
            if (method.getName().equals(name)
                    && method.getReturnType() == type.returnType()
                    && Arrays.equals(method.getParameterTypes(), type.parameterArray())) {
                return unwrapped(method.getGenericReturnType());
            }
        }
        throw new NoSuchMethodException(declaring.getName() + "#" + name + type);
    }

    private static boolean wraps(Class<?> type) {
        return type == Optional.class || type == CompletionStage.class || type == CompletableFuture.class;
    }

    private static Class<?> unwrapped(Type type) {
        Class<?> erased = erased(type);
        if (!wraps(erased)) {
            return erased;
        }
        return type instanceof ParameterizedType parameterized
                ? unwrapped(parameterized.getActualTypeArguments()[0])
                : Object.class;
    }

    private static Class<?> erased(Type type) {
        if (type instanceof Class<?> plain) {
            return plain;
        }
        if (type instanceof ParameterizedType parameterized) {
            return erased(parameterized.getRawType());
        }
        if (type instanceof WildcardType wildcard) {
            return erased(wildcard.getUpperBounds()[0]);
        }
        if (type instanceof TypeVariable<?> variable) {
            return erased(variable.getBounds()[0]);
        }
        return Object.class;
    }
}
