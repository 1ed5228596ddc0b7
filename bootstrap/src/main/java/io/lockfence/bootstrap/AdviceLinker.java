/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Links the call from a woven class to an advice method, which lives in the isolated loader where the woven class cannot see it.
 * Woven classes name {@link #link} as the bootstrap method of an {@code invokedynamic}; the steady state is a direct call.
 */
public final class AdviceLinker {
    private static volatile ClassLoader advice;
    private static volatile MethodLinker methods;

    private AdviceLinker() {}

    /** The loader that advice classes are found in. */
    public static void adviceLoader(ClassLoader loader) {
        advice = loader;
    }

    /** What links the calls in methods that rules name. */
    public static void methodLinker(MethodLinker linker) {
        methods = linker;
    }

    /** The loader that advice classes are found in; null before there is an agent. */
    static ClassLoader adviceLoader() {
        return advice;
    }

    /**
     * The bootstrap method of the calls in methods that rules name.
     *
     * @param woven the woven class's own rights
     * @param name of the advice method
     * @param type of the call
     * @param point which entry of the rules
     * @param method name and descriptor of the woven method
     */
    public static CallSite linkMethod(
            MethodHandles.Lookup woven, String name, MethodType type, String point, String method) {
        return new ConstantCallSite(methods.link(woven, name, point, method).asType(type));
    }

    /**
     * The bootstrap method of every other woven call.
     *
     * @param woven unused: the woven class's own rights
     * @param name of the advice method
     * @param type of the call
     * @param adviceClass binary name of the class that declares the method
     */
    public static CallSite link(MethodHandles.Lookup woven, String name, MethodType type, String adviceClass)
            throws ReflectiveOperationException {
        Class<?> declaring = Class.forName(adviceClass, true, advice);
        MethodHandle method = MethodHandles.publicLookup().findStatic(declaring, name, type);
        return new ConstantCallSite(method);
    }
}
