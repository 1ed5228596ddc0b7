/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The types of one woven method.
 *
 * @param declaring the class that declares it
 * @param type its parameters, and the type of its result as paths see it
 */
record Signature(Class<?> declaring, MethodType type) {
    /** Null for no path. */
    Values compile(MethodHandles.Lookup woven, Path path) throws ReflectiveOperationException {
        return path == null ? null : Values.of(woven, path, root(path));
    }

    private Class<?> root(Path path) throws NoSuchMethodException {
        return switch (path.root()) {
            case ARGUMENT -> {
                if (path.argument() >= type.parameterCount()) {
                    throw new NoSuchMethodException("there is no argument " + path.argument() + " for " + path);
                }
                yield type.parameterType(path.argument());
            }
            case RESULT -> type.returnType();
            case THIS -> declaring;
        };
    }
}
