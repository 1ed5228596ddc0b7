/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Point;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
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
     */
    public record Result(byte[] bytes, Set<Point> matched) {}

    private static final ByteBuddy BYTE_BUDDY = new ByteBuddy()
            .with(VisibilityBridgeStrategy.Default.NEVER)
            .with(InstrumentedType.Factory.Default.FROZEN)
            .with(TypeValidation.DISABLED);
    private static final Advice.WithCustomMapping ADVICE = advice();
    private static final Advice.ExceptionHandler FAULT = fault();

    private Weaving() {}

    /**
     * Weaves the points of one class into its bytes.
     *
     * @param className binary name
     * @param loader that defines the class; null for the boot loader
     */
    public static Result weave(String className, byte[] bytes, ClassLoader loader, List<Point> points) {
        ClassFileLocator locator = new ClassFileLocator.Compound(
                ClassFileLocator.Simple.of(className, bytes),
                loader == null
                        ? ClassFileLocator.ForClassLoader.ofBootLoader()
                        : ClassFileLocator.ForClassLoader.of(loader));
        TypeDescription type = new TypePool.Default(
                        TypePool.CacheProvider.Simple.withObjectType(), locator, TypePool.Default.ReaderMode.FAST)
                .describe(className)
                .resolve();
        // By identity: the first hash of a record in a JVM takes 20 ms.
        Map<Point, List<MethodDescription.InDefinedShape>> matched = new IdentityHashMap<>();
        for (Point point : points) {
            List<MethodDescription.InDefinedShape> methods = methods(type, point);
            if (!methods.isEmpty()) {
                matched.put(point, methods);
            }
        }
        return new Result(matched.isEmpty() ? null : weave(type, locator, matched), matched.keySet());
    }

    private static byte[] weave(
            TypeDescription type,
            ClassFileLocator locator,
            Map<Point, List<MethodDescription.InDefinedShape>> matched) {
        List<MethodDescription.InDefinedShape> all =
                matched.values().stream().flatMap(List::stream).toList();
        List<MethodDescription> woven = new ArrayList<>();
        DynamicType.Builder<?> builder = BYTE_BUDDY.with(new OnlyThese(all)).decorate(type, locator);
        for (Map.Entry<Point, List<MethodDescription.InDefinedShape>> point : matched.entrySet()) {
            builder = builder.visit(ADVICE.to(point.getKey().advice())
                    .withExceptionHandler(FAULT)
                    .on(method -> point.getValue().contains(method) && woven.add(method)));
        }
        byte[] bytes = builder.make().getBytes();
        if (woven.size() != all.size()) {
            throw new IllegalStateException(woven.size() + " of " + all + " were woven");
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
