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

/** What {@code result} is in paths: what the method returns, or what is in the {@code Optional} that it returns. */
final class ResultType {
    private ResultType() {}

    /**
     * @param name of the method
     * @param type its parameters and result, erased
     */
    static Class<?> of(Class<?> declaring, String name, MethodType type) throws NoSuchMethodException {
        if (type.returnType() != Optional.class) {
            return type.returnType();
        }
        for (Method method : declaring.getDeclaredMethods()) {
            if (method.getName().equals(name)
                    && method.getReturnType() == type.returnType()
                    && Arrays.equals(method.getParameterTypes(), type.parameterArray())) {
                return method.getGenericReturnType() instanceof ParameterizedType optional
                        ? erased(optional.getActualTypeArguments()[0])
                        : Object.class;
            }
        }
        throw new NoSuchMethodException(declaring.getName() + "#" + name + type);
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
