/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Point;
import io.lockfence.instrumentation.methods.AsyncMethodAdvice;
import io.lockfence.instrumentation.methods.MethodAdvice;
import io.lockfence.instrumentation.methods.MethodPoint;
import io.lockfence.instrumentation.methods.TargetAdvice;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.VisibilityBridgeStrategy;
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.bytecode.member.MethodInvocation;
import net.bytebuddy.pool.TypePool;
import net.bytebuddy.utility.JavaConstant;

/** Byte Buddy's part of {@link Weaver}: loaded by the warm-up, or at the first class that is to be woven. */
public final class Weaving {
    /**
     * @param bytes of the woven class; null if no point matched
     * @param matched the points that matched a method
     * @param problems why a method that a rule names was not woven; nothing for those that were
     */
    public record Result(byte[] bytes, Set<Point> matched, Map<MethodPoint, String> problems) {}

    private static final ByteBuddy BYTE_BUDDY = new ByteBuddy()
            .with(VisibilityBridgeStrategy.Default.NEVER)
            .with(InstrumentedType.Factory.Default.FROZEN)
            .with(TypeValidation.DISABLED);
    private static final Method LINK_METHOD = linkMethod();
    private static final Advice.WithCustomMapping ADVICE = advice();
    private static final Advice.ExceptionHandler FAULT = fault();

    /** Of class files that can have the calls that are woven: Java 7's. */
    private static final int OLDEST_VERSION = 51;

    private Weaving() {}

    /**
     * Weaves the points of one class into its bytes.
     *
     * @param className binary name
     * @param loader that defines the class; null for the boot loader
     */
    public static Result weave(String className, byte[] bytes, ClassLoader loader, List<Point> points) {
        return weave(className, bytes, loader, points, List.of());
    }

    /**
     * Weaves the points of one class, and the methods that rules name, into its bytes.
     *
     * @param className binary name
     * @param loader that defines the class; null for the boot loader
     */
    static Result weave(
            String className, byte[] bytes, ClassLoader loader, List<Point> points, List<MethodPoint> named) {
        int version = (bytes[6] & 0xff) << 8 | bytes[7] & 0xff;
        if (version == OLDEST_VERSION - 1 && !points.isEmpty() && named.isEmpty()) {
            return weave(className, lifted(bytes), loader, points, named);
        }
        if (version < OLDEST_VERSION) {
            Map<MethodPoint, String> old = new IdentityHashMap<>();
            named.forEach(
                    point -> old.put(point, className + " is a class file of Java 6 or older, which cannot be woven"));
            return new Result(null, Set.of(), old);
        }
        ClassFileLocator locator = new ClassFileLocator.Compound(
                ClassFileLocator.Simple.of(className, bytes),
                loader == null
                        ? ClassFileLocator.ForClassLoader.ofBootLoader()
                        : ClassFileLocator.ForClassLoader.of(loader));
        TypeDescription type = new TypePool.Default(
                        TypePool.CacheProvider.Simple.withObjectType(), locator, TypePool.Default.ReaderMode.FAST)
                .describe(className)
                .resolve();
        List<Woven> all = new ArrayList<>();
        // By identity: the first hash of a record in a JVM takes 20 ms.
        Set<Point> matched = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Point point : points) {
            List<MethodDescription.InDefinedShape> methods = methods(type, point);
            if (!methods.isEmpty()) {
                matched.add(point);
                all.add(new Woven(ADVICE.to(point.advice()).withExceptionHandler(FAULT), methods));
            }
        }
        Map<MethodPoint, String> problems = new IdentityHashMap<>();
        for (MethodPoint point : named) {
            MethodMatch.Found found = MethodMatch.find(type, point);
            if (found.problem() != null) {
                problems.put(point, found.problem());
            } else if (!found.methods().isEmpty()) {
                if (point.role() == MethodPoint.Role.TARGET) {
                    all.add(new Woven(ofPoint(point).to(TargetAdvice.class), found.methods()));
                } else {
                    add(all, point, MethodAdvice.class, found.methods(), false);
                    add(all, point, AsyncMethodAdvice.class, found.methods(), true);
                }
            }
        }
        return new Result(all.isEmpty() ? null : weave(type, locator, all), matched, problems);
    }

    /**
     * As a class file of Java 7, which may have the calls that are woven: those of Java 6 differ in that alone, if their compiler wrote frames, as the compilers of the
     * libraries that we know did (Apache HttpClient 4.5).
     */
    private static byte[] lifted(byte[] bytes) {
        byte[] lifted = bytes.clone();
        lifted[7] = OLDEST_VERSION;
        return lifted;
    }

    private static void add(
            List<Woven> all,
            MethodPoint point,
            Class<?> advice,
            List<MethodDescription.InDefinedShape> found,
            boolean async) {
        List<MethodDescription.InDefinedShape> methods = found.stream()
                .filter(method -> MethodMatch.isAsync(method) == async)
                .toList();
        if (!methods.isEmpty()) {
            all.add(new Woven(ofPoint(point).to(advice), methods));
        }
    }

    /** Advice and the methods that it goes to. */
    private record Woven(Advice advice, List<MethodDescription.InDefinedShape> methods) {}

    /** The call of each method goes to a target of its own. */
    private static Advice.WithCustomMapping ofPoint(MethodPoint point) {
        return Advice.withCustomMapping()
                .bootstrap(
                        LINK_METHOD,
                        (advice, exit) -> (type, method) -> List.of(
                                JavaConstant.Simple.ofLoaded(point.id()),
                                JavaConstant.Simple.ofLoaded(method.asDefined().getInternalName()
                                        + method.asDefined().getDescriptor())))
                .with(new Advice.AssignReturned.Factory());
    }

    private static byte[] weave(TypeDescription type, ClassFileLocator locator, List<Woven> all) {
        List<MethodDescription.InDefinedShape> methods =
                all.stream().flatMap(woven -> woven.methods().stream()).toList();
        List<MethodDescription> met = new ArrayList<>();
        DynamicType.Builder<?> builder = BYTE_BUDDY
                .with(new OnlyThese(methods.stream().distinct().toList()))
                .decorate(type, locator);
        for (Woven woven : all) {
            builder = builder.visit(woven.advice().on(method -> woven.methods().contains(method) && met.add(method)));
        }
        byte[] bytes = builder.make().getBytes();
        if (met.size() != methods.size()) {
            throw new IllegalStateException(met.size() + " of " + methods + " were woven");
        }
        return bytes;
    }

    /**
     * Byte Buddy asks which methods there are: the matched ones, since nothing is overridden here. To describe all methods of a driver's classes takes a
     * third of the time of weaving them.
     */
    private static final class OnlyThese extends MethodGraph.Compiler.AbstractBase {
        private final List<MethodDescription.InDefinedShape> methods;

        OnlyThese(List<MethodDescription.InDefinedShape> methods) {
            this.methods = methods;
        }

        @Override
        public MethodGraph.Linked compile(TypeDefinition type, TypeDescription viewPoint) {
            return new MethodGraph.Linked.Delegation(
                    MethodGraph.Simple.of(methods), MethodGraph.Empty.INSTANCE, Map.of());
        }
    }

    private static List<MethodDescription.InDefinedShape> methods(TypeDescription type, Point point) {
        for (String descriptor : point.descriptor().split("\\|")) {
            List<MethodDescription.InDefinedShape> methods = type.getDeclaredMethods().stream()
                    .filter(method -> method.getInternalName().equals(point.method()))
                    .filter(method -> method.getDescriptor().startsWith(descriptor))
                    .filter(method -> !method.isAbstract() && !method.isNative() && !method.isBridge())
                    .toList();
            if (!methods.isEmpty()) {
                return methods;
            }
        }
        return List.of();
    }

    private static Method linkMethod() {
        try {
            return AdviceLinker.class.getMethod(
                    "linkMethod",
                    MethodHandles.Lookup.class,
                    String.class,
                    MethodType.class,
                    String.class,
                    String.class);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Advice.WithCustomMapping advice() {
        try {
            Method link = AdviceLinker.class.getMethod(
                    "link", MethodHandles.Lookup.class, String.class, MethodType.class, String.class);
            return Advice.withCustomMapping()
                    .bootstrap(
                            link,
                            (advice, exit) -> (type, method) -> List.of(JavaConstant.Simple.ofLoaded(
                                    advice.getDeclaringType().getName())))
                    .with(new Advice.AssignReturned.Factory());
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Advice.ExceptionHandler fault() {
        try {
            return new Advice.ExceptionHandler.Simple(MethodInvocation.invoke(
                    new MethodDescription.ForLoadedMethod(Seams.class.getMethod("fault", Throwable.class))));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }
}
