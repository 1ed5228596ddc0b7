/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.instrumentation.methods.MethodPoint;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Which classes have methods that the rules name: the classes themselves, and all that extend or implement them. Where no rule names a method nothing is
 * looked at. Where one does, the names of a class's supertypes are read from its own bytes, and those of a supertype that was not met before from its file: nothing is loaded
 * for it, and no class's hierarchy is walked twice in one loader. Thread safe.
 */
final class MethodWeaver {
    /** No rule names a class of these, and none of theirs is a subtype of one that a rule names. */
    private static final String[] PLATFORM = {"java/", "javax/", "jdk/", "sun/", "com/sun/"};

    /** By the names that Spring, CGLIB, Byte Buddy, Hibernate, Javassist, Weld and the JDK give to what they generate. */
    private static final Pattern PROXY = Pattern.compile(
            "\\$\\$(SpringCGLIB|EnhancerBy|FastClass|Lambda|_javassist)|_\\$\\$_(javassist|jvst)|\\$(ByteBuddy|HibernateProxy|MockitoMock)\\$|\\$Proxy\\d*(\\$|$)|_WeldClientProxy$|_ClientProxy$|_Subclass$");

    private final Map<String, List<MethodPoint>> byClass = new HashMap<>();
    private final MethodStatus status;
    /** For each loader, the classes of rules that a class is a subtype of; mostly none. Weak by loader. */
    private final Map<ClassLoader, Map<String, Set<String>>> known = Collections.synchronizedMap(new WeakHashMap<>());

    MethodWeaver(List<MethodPoint> points, MethodStatus status) {
        this.status = status;
        for (MethodPoint point : points) {
            byClass.computeIfAbsent(point.className().replace('.', '/'), name -> new ArrayList<>())
                    .add(point);
        }
    }

    /**
     * The methods to weave in a class; empty for nearly all.
     *
     * @param loader that defines it; null for the boot loader, whose classes no rule names
     */
    List<MethodPoint> of(ClassLoader loader, String internalName, byte[] bytes) {
        if (byClass.isEmpty() || loader == null || isPlatform(internalName)) {
            return List.of();
        }
        Set<String> named = namedSupertypes(loader, internalName, bytes);
        if (named.isEmpty() || isProxy(internalName)) {
            return List.of();
        }
        List<MethodPoint> points = new ArrayList<>();
        named.forEach(name -> points.addAll(byClass.get(name)));
        return points;
    }

    /** The same for a class that is loaded. */
    boolean concerns(Class<?> loaded) {
        if (byClass.isEmpty() || loaded.getClassLoader() == null || loaded.isArray() || loaded.isHidden()) {
            return false;
        }
        for (Class<?> type = loaded; type != null; type = type.getSuperclass()) {
            if (byClass.containsKey(type.getName().replace('.', '/')) || anyInterface(type)) {
                return !isProxy(loaded.getName().replace('.', '/'));
            }
        }
        return false;
    }

    private boolean anyInterface(Class<?> type) {
        for (Class<?> implemented : type.getInterfaces()) {
            if (byClass.containsKey(implemented.getName().replace('.', '/')) || anyInterface(implemented)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the class was generated to stand before another one, whose own methods it calls. */
    private boolean isProxy(String internalName) {
        return PROXY.matcher(internalName).find() && !byClass.containsKey(internalName);
    }

    private static boolean isPlatform(String internalName) {
        for (String prefix : PLATFORM) {
            if (internalName.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** The classes of rules that a class is or is a subtype of. */
    private Set<String> namedSupertypes(ClassLoader loader, String internalName, byte[] bytes) {
        Map<String, Set<String>> ofLoader = known.computeIfAbsent(loader, key -> new ConcurrentHashMap<>());
        Set<String> found = ofLoader.get(internalName);
        if (found == null || found.isEmpty() && bytes != null) {
            found = new LinkedHashSet<>();
            if (byClass.containsKey(internalName)) {
                found.add(internalName);
            }
            byte[] file = bytes != null ? bytes : file(loader, internalName);
            if (file != null) {
                for (String supertype : supertypes(file)) {
                    if (!isPlatform(supertype)) {
                        found.addAll(namedSupertypes(loader, supertype, null));
                    }
                }
            }
            if (file != null) {
                ofLoader.put(internalName, found.isEmpty() ? Set.of() : found);
            }
        }
        return found;
    }

    private static List<String> supertypes(byte[] file) {
        try {
            return ClassHeader.of(file).supertypes();
        } catch (RuntimeException e) {
            // Not what a JVM would load either.
            return List.of();
        }
    }

    /** Null where a loader makes its classes of something else than files; such a supertype was met when it was loaded, if before. */
    private static byte[] file(ClassLoader loader, String internalName) {
        try (InputStream in = loader.getResourceAsStream(internalName + ".class")) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    void report(String className, Weaving.Result result, List<MethodPoint> points) {
        for (MethodPoint point : points) {
            String why = result.problems().get(point);
            if (why == null) {
                status.woven(point);
            } else {
                status.notWoven(point, className, why);
            }
        }
    }

    void failed(String className, Throwable thrown, List<MethodPoint> points) {
        points.forEach(point -> status.notWoven(point, className, className + " could not be woven: " + thrown));
    }
}
