/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import io.lockfence.instrumentation.methods.MethodPoint;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Weaves the libraries' points into classes as they are loaded.
 *
 * <p>A plain transformer over a set of names, in front of Byte Buddy. Its {@code AgentBuilder} costs 0.3 s of premain whether or not
 * anything matches; this costs 20 ms (measured), and {@link #warmUp} has the rest done beside the service's start.
 */
final class Weaver implements ClassFileTransformer {
    /** Hears how a library's classes match, one by one. Called while a class is being loaded: must be quick. */
    interface Listener {
        /** @param missing capabilities that a class should have given, and no class has given so far */
        void woven(Library library, Set<String> missing, String className, ClassLoader loader);
    }

    private static final String SEAMS = "io.lockfence.bootstrap";

    private record Target(Library library, Point point) {}

    /**
     * What became of a class that was loaded before.
     *
     * @param problem why it was not woven, or not wholly; null if it was
     */
    record Loaded(Class<?> type, String problem) {}

    private final Map<String, List<Target>> targets = new HashMap<>();
    private final Map<Library, Set<String>> woven = new HashMap<>();
    private final Map<Library, Set<String>> missing = new HashMap<>();
    private final Set<String> opened = ConcurrentHashMap.newKeySet();
    private final MethodWeaver methods;
    private final Listener listener;
    private volatile Instrumentation instrumentation;
    /** What became of loaded classes, while {@link #weaveAtOnce} is at work; else null. */
    private volatile Map<Class<?>, String> problems;

    /** @param methods what rules name */
    Weaver(List<Library> libraries, MethodWeaver methods, Listener listener) {
        this.methods = methods;
        this.listener = listener;
        for (Library library : libraries) {
            woven.put(library, ConcurrentHashMap.newKeySet());
            missing.put(library, ConcurrentHashMap.newKeySet());
            for (Point point : library.points()) {
                targets.computeIfAbsent(point.className().replace('.', '/'), name -> new ArrayList<>())
                        .add(new Target(library, point));
            }
        }
    }

    /** Weaves what is loaded from now on. What was loaded before, JDK classes above all, is woven by {@link #weaveLoaded}. */
    void install(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
        instrumentation.addTransformer(this, true);
    }

    /**
     * Has Byte Buddy loaded and started, which takes 0.3 s, by weaving a class of the JDK and throwing the result away: with the first class that
     * is really woven, the service would wait for it.
     */
    static void warmUp(List<Library> libraries) {
        String sample = "java.util.concurrent.ThreadPoolExecutor";
        List<Point> points = libraries.stream()
                .flatMap(library -> library.points().stream())
                .filter(point -> point.className().equals(sample))
                .toList();
        try (InputStream in = ClassLoader.getSystemResourceAsStream(sample.replace('.', '/') + ".class")) {
            if (in != null) {
                Weaving.weave(sample, in.readAllBytes(), null, points);
            }
        } catch (IOException | RuntimeException | Error e) {
            Seams.fault(new IllegalStateException("could not weave the sample " + sample, e));
        }
    }

    /** Weaves the classes that were loaded before. Not in premain: retransforming stops the JVM's threads. */
    void weaveLoaded(Instrumentation instrumentation) {
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (concerns(loaded, instrumentation)) {
                try {
                    instrumentation.retransformClasses(loaded);
                } catch (UnmodifiableClassException | RuntimeException | Error e) {
                    Seams.fault(new IllegalStateException(
                            "could not weave " + loaded.getName() + ", which was loaded before", e));
                }
            }
        }
    }

    private boolean concerns(Class<?> loaded, Instrumentation instrumentation) {
        String name = loaded.getName().replace('.', '/');
        return (targets.containsKey(name) || methods.concerns(loaded)) && instrumentation.isModifiableClass(loaded);
    }

    /**
     * Weaves all the classes that were loaded before at one moment; if the JVM refuses that, one by one. Called once, by one thread.
     *
     * @return what became of each
     */
    List<Loaded> weaveAtOnce(Instrumentation instrumentation) {
        List<Class<?>> concerned = new ArrayList<>();
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (concerns(loaded, instrumentation)) {
                concerned.add(loaded);
            }
        }
        Map<Class<?>, String> found = new ConcurrentHashMap<>();
        problems = found;
        try {
            if (!concerned.isEmpty()
                    && !retransform(instrumentation, concerned.toArray(new Class<?>[0]))
                            .isEmpty()) {
                for (Class<?> loaded : concerned) {
                    String refused = retransform(instrumentation, loaded);
                    if (!refused.isEmpty()) {
                        found.put(loaded, "the JVM refused it: " + refused);
                    }
                }
                // After all of them: what another class has of a library does not make up for it.
                found.forEach(this::refused);
            }
        } finally {
            problems = null;
        }
        return concerned.stream().map(type -> new Loaded(type, found.get(type))).toList();
    }

    private static String retransform(Instrumentation instrumentation, Class<?>... classes) {
        try {
            instrumentation.retransformClasses(classes);
            return "";
        } catch (UnmodifiableClassException | RuntimeException | Error e) {
            return e.toString();
        }
    }

    /** A class was woven, and the JVM did not take it. */
    private void refused(Class<?> loaded, String why) {
        String name = loaded.getName();
        List<MethodPoint> named = methods.of(loaded.getClassLoader(), name.replace('.', '/'), null);
        if (!named.isEmpty()) {
            methods.failed(name, new IllegalStateException(why), named);
        }
        List<Target> here = targets.getOrDefault(loaded.getName().replace('.', '/'), List.of());
        for (Target target : here) {
            woven.get(target.library()).remove(target.point().capability());
        }
        report(here, Set.of(), loaded.getClassLoader());
    }

    private void problem(Class<?> loaded, String problem) {
        Map<Class<?>, String> noted = problems;
        if (noted != null && loaded != null) {
            noted.put(loaded, problem);
        }
    }

    @Override
    public byte[] transform(
            Module module,
            ClassLoader loader,
            String className,
            Class<?> redefined,
            ProtectionDomain domain,
            byte[] bytes) {
        if (className == null) {
            return null;
        }
        List<Target> here = targets.getOrDefault(className, List.of());
        List<MethodPoint> named = List.of();
        try {
            named = methods.of(loader, className, bytes);
            if (here.isEmpty() && named.isEmpty()) {
                return null;
            }
            if (!seesSeams(loader)) {
                throw new IllegalStateException(
                        "its class loader " + loader + " does not see " + SEAMS
                                + "; in WildFly add it to -Djboss.modules.system.pkgs, in OSGi to org.osgi.framework.bootdelegation");
            }
            String binaryName = className.replace('/', '.');
            List<Point> points = here.stream().map(Target::point).toList();
            Weaving.Result result = Weaving.weave(binaryName, bytes, loader, points, named);
            here.forEach(target -> open(target.library()));
            report(here, result.matched(), loader);
            methods.report(binaryName, result, named);
            if (!result.problems().isEmpty()) {
                problem(redefined, String.join("; ", result.problems().values()));
            }
            return result.bytes();
        } catch (Throwable t) {
            // Not woven is not fenced: every capability that this class should have given is missing, and the report
            // says so.
            report(here, Set.of(), loader);
            methods.failed(className.replace('/', '.'), t, named);
            problem(redefined, t.toString());
            Seams.fault(new IllegalStateException("could not weave " + className, t));
            return null;
        }
    }

    /** Module systems delegate to the boot loader for the packages that they know; a class that was woven elsewhere would not link. */
    private static boolean seesSeams(ClassLoader loader) {
        try {
            return loader == null || loader.loadClass(Seams.class.getName()) == Seams.class;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Once a library's classes are met: a JVM that does not use them stays as it was. */
    private void open(Library library) {
        for (String name : library.opens()) {
            int slash = name.indexOf('/');
            Optional<Module> module = ModuleLayer.boot().findModule(name.substring(0, slash));
            if (module.isPresent() && opened.add(name)) {
                Set<Module> ours = Set.of(library.getClass().getModule());
                instrumentation.redefineModule(
                        module.get(), Set.of(), Map.of(), Map.of(name.substring(slash + 1), ours), Set.of(), Map.of());
            }
        }
    }

    private void report(List<Target> here, Set<Point> matched, ClassLoader loader) {
        Set<Library> concerned = new LinkedHashSet<>();
        for (Target target : here) {
            (matched.contains(target.point()) ? woven : missing)
                    .get(target.library())
                    .add(target.point().capability());
            concerned.add(target.library());
        }
        for (Library library : concerned) {
            Set<String> lacking = new TreeSet<>(missing.get(library));
            lacking.removeAll(woven.get(library));
            listener.woven(library, lacking, here.get(0).point().className(), loader);
        }
    }
}
