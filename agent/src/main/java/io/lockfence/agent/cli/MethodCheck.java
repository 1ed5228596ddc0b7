/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.MethodMatch;
import io.lockfence.agent.cli.classes.ClassFiles;
import io.lockfence.agent.cli.classes.ClassIndex;
import io.lockfence.agent.cli.classes.ClassOutline;
import io.lockfence.agent.cli.classes.MethodMatcher;
import io.lockfence.agent.cli.classes.MethodOutline;
import io.lockfence.agent.cli.classes.MethodPattern;
import io.lockfence.agent.cli.classes.Origin;
import io.lockfence.instrumentation.methods.MethodPoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.Type;
import net.bytebuddy.pool.TypePool;

/**
 * What the methods that rules name are in given jars. The weaver's own code looks at the class files, so that the two cannot differ; what is nearly meant comes from the index.
 */
final class MethodCheck {
    private static final int MOST_SHOWN = 20;

    /**
     * What one named method matches.
     *
     * @param woven the methods, as rules write them; each once
     * @param wrong why a class with it cannot be woven, which makes its rule fence nothing
     * @param near what is nearly meant, and why it is not
     */
    record Matched(Set<String> woven, Set<String> wrong, List<String> near) {}

    private final List<Path> paths;
    private final ClassIndex index;
    private final MethodMatcher matcher;
    /** Of the classes that were needed so far. */
    private final Map<String, byte[]> files = new HashMap<>();

    /** Classes that were asked for and are not among them. */
    private final Set<String> lacking = new LinkedHashSet<>();

    MethodCheck(List<Path> paths, ClassIndex index) {
        this.paths = paths;
        this.index = index;
        this.matcher = new MethodMatcher(index);
    }

    /**
     * Looks at the methods that rules name, in order.
     *
     * @throws IOException if the jars are no longer there
     */
    List<Matched> match(List<MethodPoint> points) throws IOException {
        points.forEach(this::want);
        List<Matched> matched;
        do {
            read();
            matched = points.stream().map(this::match).toList();
            // What a path leads to is known once the types before it are.
        } while (!lacking.isEmpty());
        return matched;
    }

    private List<String> classes(MethodPoint point) {
        List<String> classes = new ArrayList<>();
        classes.add(point.className());
        classes.addAll(index.subtypesOf(point.className()));
        return classes;
    }

    private void want(MethodPoint point) {
        for (String name : classes(point)) {
            for (String type : index.supertypesOf(name)) {
                want(type);
            }
            for (MethodOutline method :
                    index.find(name).map(ClassOutline::methods).orElse(List.of())) {
                if (method.name().equals(point.method())) {
                    want(Type.getReturnType(method.descriptor()).getClassName());
                    for (Type parameter : Type.getArgumentTypes(method.descriptor())) {
                        want(parameter.getClassName());
                    }
                }
            }
        }
    }

    private void want(String name) {
        if (!files.containsKey(name) && index.find(name).isPresent()) {
            lacking.add(name);
        }
    }

    private void read() throws IOException {
        Set<String> wanted = Set.copyOf(lacking);
        lacking.clear();
        if (wanted.isEmpty()) {
            return;
        }
        ClassFiles.walk(paths, false, new ClassFiles.Visitor() {
            @Override
            public void classFile(Origin origin, byte[] bytes) {
                String name = new ClassReader(bytes).getClassName().replace('/', '.');
                if (wanted.contains(name)) {
                    files.putIfAbsent(name, bytes);
                }
            }
        });
        // One that has gone since is not asked for again.
        wanted.forEach(name -> files.putIfAbsent(name, new byte[0]));
    }

    private Matched match(MethodPoint point) {
        Matched matched = new Matched(new LinkedHashSet<>(), new LinkedHashSet<>(), new ArrayList<>());
        if (index.find(point.className()).isPresent()) {
            TypePool pool = new TypePool.Default(
                    new TypePool.CacheProvider.Simple(), new Files(), TypePool.Default.ReaderMode.FAST);
            for (String name : classes(point)) {
                match(point, name, pool, matched);
            }
        }
        if (matched.woven().isEmpty()) {
            matcher.match(pattern(point)).near().forEach(near -> matched.near().add(near.toString()));
        }
        return matched;
    }

    private static void match(MethodPoint point, String name, TypePool pool, Matched into) {
        try {
            MethodMatch.Found found = MethodMatch.find(pool.describe(name).resolve(), point);
            for (MethodDescription.InDefinedShape method : found.methods()) {
                into.woven()
                        .add(method.getDeclaringType().getName() + "#"
                                + new MethodOutline(method.getInternalName(), method.getDescriptor(), 0, null)
                                        .written());
            }
            if (found.problem() != null) {
                into.wrong().add(found.problem());
            }
        } catch (TypePool.Resolution.NoSuchTypeException e) {
            into.wrong()
                    .add(name + " cannot be judged, since " + e.getName()
                            + " is not in the jars: name all of the service's");
        }
    }

    private static MethodPattern pattern(MethodPoint point) {
        MethodOutline written = new MethodOutline(point.method(), point.parameters() + "V", 0, null);
        return MethodPattern.ofTypes(point.className(), point.method(), written.parameterTypes());
    }

    /** For people, indented. */
    static List<String> lines(MethodPoint point, Matched matched) {
        List<String> lines = new ArrayList<>();
        String method = pattern(point).toString();
        String role = point.role() == MethodPoint.Role.TARGET
                ? "method"
                : point.role().name().toLowerCase(Locale.ROOT);
        if (matched.woven().isEmpty()) {
            lines.add("  " + role + " " + method + ": matches nothing"
                    + (matched.wrong().isEmpty() && matched.near().isEmpty() ? ": its class is not in the jars" : ""));
        } else {
            lines.add("  " + role + " " + method + ": "
                    + (matched.woven().size() == 1
                            ? "1 method"
                            : matched.woven().size() + " methods"));
        }
        matched.woven().stream().limit(MOST_SHOWN).forEach(woven -> lines.add("    " + woven));
        if (matched.woven().size() > MOST_SHOWN) {
            lines.add("    and " + (matched.woven().size() - MOST_SHOWN) + " more");
        }
        matched.wrong().forEach(wrong -> lines.add("    wrong: " + wrong));
        matched.near().forEach(near -> lines.add("    nearly: " + near));
        return lines;
    }

    /** The JDK's classes, and those of the jars that were read. */
    private final class Files implements ClassFileLocator {
        private final ClassFileLocator platform = ForClassLoader.ofPlatformLoader();

        @Override
        public Resolution locate(String name) throws IOException {
            byte[] file = files.get(name);
            if (file != null && file.length > 0) {
                return new Resolution.Explicit(file);
            }
            Resolution ofPlatform = platform.locate(name);
            if (!ofPlatform.isResolved()) {
                want(name);
            }
            return ofPlatform;
        }

        @Override
        public void close() {}
    }
}
