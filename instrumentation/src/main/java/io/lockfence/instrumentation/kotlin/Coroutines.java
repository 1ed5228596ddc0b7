/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.kotlin;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Seams;
import io.lockfence.bootstrap.Submissions;
import io.lockfence.bootstrap.Units;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;

/**
 * One copy of the library. The leases of a coroutine are a {@code ThreadContextElement} of its context, as a proxy: no class of ours is in the service's
 * loader.
 */
final class Coroutines {
    private static final ClassValue<Coroutines> COPIES = new ClassValue<>() {
        @Override
        protected Coroutines computeValue(Class<?> library) {
            try {
                return new Coroutines(library.getClassLoader());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    private static volatile boolean everLeased;

    private final ClassLoader loader;
    private final Class<?> elementType;
    /** Ours, and that of what runs a coroutine. */
    private final Object key;

    private final Object dispatcherKey;
    private final Object empty;
    private final MethodHandle get;
    private final MethodHandle plus;
    private final MethodHandle minusKey;
    /** What an element's {@code plus} does, as Kotlin has it: static. */
    private final MethodHandle elementsPlus;

    private final MethodHandle apply;

    private Coroutines(ClassLoader loader) throws ReflectiveOperationException {
        this.loader = loader;
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        String kotlin = "kotlin.coroutines.";
        Class<?> context = type(kotlin + "CoroutineContext");
        Class<?> element = type(kotlin + "CoroutineContext$Element");
        Class<?> keyType = type(kotlin + "CoroutineContext$Key");
        elementType = type("kotlinx.coroutines.ThreadContextElement");
        key = Proxy.newProxyInstance(loader, new Class<?>[] {keyType}, Coroutines::ofObject);
        dispatcherKey = type(kotlin + "ContinuationInterceptor").getField("Key").get(null);
        empty = type(kotlin + "EmptyCoroutineContext").getField("INSTANCE").get(null);
        get = lookup.findVirtual(context, "get", MethodType.methodType(element, keyType));
        plus = lookup.findVirtual(context, "plus", MethodType.methodType(context, context));
        minusKey = lookup.findVirtual(context, "minusKey", MethodType.methodType(context, keyType));
        elementsPlus = lookup.findStatic(
                type(kotlin + "CoroutineContext$DefaultImpls"),
                "plus",
                MethodType.methodType(context, context, context));
        apply = lookup.findVirtual(
                type("kotlin.jvm.functions.Function2"),
                "invoke",
                MethodType.methodType(Object.class, Object.class, Object.class));
    }

    private Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(name, true, loader);
    }

    /** @param library the class that is woven */
    static Coroutines of(Class<?> library) {
        return COPIES.get(library);
    }

    /**
     * The context of a coroutine that the current thread begins.
     *
     * @param origin the scope, or the context, that it begins in
     * @param context what the library has made of it
     */
    Object withLeases(Object origin, Object context) {
        if (context == origin) {
            // withContext that changes nothing: the coroutine goes on as it is, and a flow checks that its context is
            // the same.
            return context;
        }
        try {
            Object dispatcher = get.invoke(context, dispatcherKey);
            Lease[] leases =
                    Submissions.carriedOn(dispatcher == null ? null : dispatcher.getClass(), origin.getClass());
            Object own = get.invoke(context, key);
            if (leases.length > 0) {
                return own != null && ((Element) Proxy.getInvocationHandler(own)).has(leases)
                        ? context
                        : plus.invoke(context, element(leases));
            }
            // A scope may have been made under leases: they are of its own work, not of whoever uses it.
            return own == null ? context : minusKey.invoke(context, key);
        } catch (Throwable t) {
            Seams.fault(t);
            return context;
        }
    }

    /** Whether any coroutine has begun under leases: a scope may have kept them, until whoever uses it begins without. */
    static boolean everLeased() {
        return everLeased;
    }

    private Object element(Lease[] leases) {
        everLeased = true;
        return Proxy.newProxyInstance(loader, new Class<?>[] {elementType}, new Element(leases));
    }

    private static Object ofObject(Object proxy, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "Lockfence";
        };
    }

    private final class Element implements InvocationHandler {
        private final Lease[] leases;

        Element(Lease[] leases) {
            this.leases = leases;
        }

        boolean has(Lease[] others) {
            return Arrays.equals(leases, others);
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            return switch (method.getName()) {
                case "updateThreadContext" -> Units.beginTurn(leases);
                case "restoreThreadContext" -> {
                    if (arguments[1] != null) {
                        Units.endTurn(arguments[1]);
                    }
                    yield null;
                }
                case "getKey" -> key;
                case "get" -> arguments[0] == key ? proxy : null;
                case "minusKey" -> arguments[0] == key ? empty : proxy;
                case "fold" -> apply.invoke(arguments[1], arguments[0], proxy);
                case "plus" -> elementsPlus.invoke(proxy, arguments[0]);
                case "toString" -> "Lockfence" + Arrays.toString(leases);
                default -> ofObject(proxy, method, arguments);
            };
        }
    }
}
