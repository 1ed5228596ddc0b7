/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

import io.lockfence.bootstrap.MethodLinker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Links woven methods to their {@link Site}s, each compiled at its first call with the rights of its class. Thread safe. */
public final class MethodLinks implements MethodLinker {
    private static final MethodHandle ENTER =
            handle(Site.class, "enter", MethodType.methodType(Object.class, Object.class, Object[].class));
    private static final MethodHandle EXIT = handle(
            Site.class, "exit", MethodType.methodType(Object.class, Object.class, Object.class, Throwable.class));
    private static final MethodHandle TARGET_ENTER =
            handle(TargetSite.class, "enter", MethodType.methodType(boolean.class));
    private static final MethodHandle TARGET_EXIT =
            handle(TargetSite.class, "exit", MethodType.methodType(void.class, boolean.class));

    private record Woven(Class<?> declaring, String method, String point) {}

    private final Map<String, MethodPoint> points = new ConcurrentHashMap<>();
    private final Holds holds = new Holds();
    /** Both calls of a method go to one site. Holds classes for as long as they are woven, which is as long as they live. */
    private final ClassValue<Map<Woven, Site>> sites = new ClassValue<>() {
        @Override
        protected Map<Woven, Site> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
        }
    };

    /** @param all the methods that rules name */
    public MethodLinks(List<MethodPoint> all) {
        all.forEach(point -> points.put(point.id(), point));
    }

    private static MethodHandle handle(Class<?> site, String name, MethodType type) {
        try {
            return MethodHandles.lookup().findVirtual(site, name, type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public MethodHandle link(MethodHandles.Lookup woven, String name, String point, String method) {
        MethodPoint named = points.get(point);
        if (named.role() == MethodPoint.Role.TARGET) {
            TargetSite target = new TargetSite(named.target());
            return (name.equals("enter") ? TARGET_ENTER : TARGET_EXIT).bindTo(target);
        }
        Map<Woven, Site> ofClass = sites.get(woven.lookupClass());
        Site site = ofClass.computeIfAbsent(
                new Woven(woven.lookupClass(), method, point), key -> site(woven, named, method));
        return (name.equals("enter") ? ENTER : EXIT).bindTo(site);
    }

    private Site site(MethodHandles.Lookup woven, MethodPoint point, String method) {
        try {
            Class<?> declaring = woven.lookupClass();
            int parameters = method.indexOf('(');
            MethodType erased =
                    MethodType.fromMethodDescriptorString(method.substring(parameters), declaring.getClassLoader());
            Class<?> result = ResultType.of(declaring, method.substring(0, parameters), erased);
            Signature signature = new Signature(declaring, erased.changeReturnType(result));
            LockMethods lock = point.lock();
            boolean answers = result == boolean.class || result == Boolean.class;
            boolean async = CompletionStage.class.isAssignableFrom(erased.returnType());
            return switch (point.role()) {
                case ACQUIRE -> new AcquireSite(lock, CallReader.ofAcquire(woven, lock, signature), holds, async);
                case RENEW -> new RenewSite(lock, CallReader.ofRenew(woven, lock, signature), holds, async);
                case RELEASE -> new ReleaseSite(lock, CallReader.named(woven, lock, signature), holds, answers);
                case TARGET -> throw new IllegalArgumentException("no lock: " + point);
            };
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return new BrokenSite(point, method, e, holds);
        }
    }
}
