/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.classes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * The outlines of all classes of a service: names, hierarchy, methods; no code. Of classes that are there twice the first counts, as for a
 * class loader. Immutable once read.
 *
 * <p>Memory: about 2 KiB a class (measured), so 32 MiB for a Spring Boot service of 15,000 classes. Beyond {@value #MOST_CLASSES} classes the rest
 * is left out, with a notice.
 */
public final class ClassIndex {
    static final int MOST_CLASSES = 200_000;
    private static final int OUTLINE = ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES;

    private final Map<String, ClassOutline> classes = new LinkedHashMap<>();
    private final Map<String, List<String>> subtypes = new HashMap<>();
    private final Map<String, String> names = new HashMap<>();
    private final List<String> notices = new ArrayList<>();

    private ClassIndex() {}

    /**
     * Reads the classes of jars and directories.
     *
     * @throws IOException if one of them is not there, or is no jar
     */
    public static ClassIndex read(List<Path> paths) throws IOException {
        ClassIndex index = new ClassIndex();
        index.notices.addAll(ClassFiles.walk(paths, false, new ClassFiles.Visitor() {
            @Override
            public void classFile(Origin origin, byte[] bytes) {
                index.add(origin, bytes);
            }
        }));
        index.names.clear();
        index.link();
        return index;
    }

    private void add(Origin origin, byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        String name = dotted(reader.getClassName());
        if (classes.containsKey(name)) {
            return;
        }
        if (classes.size() == MOST_CLASSES) {
            if (notices.isEmpty()) {
                notices.add("more than " + MOST_CLASSES + " classes; the rest was not read");
            }
            return;
        }
        List<MethodOutline> methods = new ArrayList<>();
        reader.accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String method, String descriptor, String signature, String[] exceptions) {
                        boolean bridge = (access & Opcodes.ACC_BRIDGE) != 0;
                        if ((access & Opcodes.ACC_SYNTHETIC) == 0 || bridge) {
                            boolean variable = signature != null && hasVariable(signature);
                            methods.add(new MethodOutline(
                                    shared(method), shared(descriptor), access, variable ? signature : null));
                        }
                        return null;
                    }
                },
                OUTLINE);
        List<String> interfaces = new ArrayList<>();
        for (String type : reader.getInterfaces()) {
            interfaces.add(dotted(type));
        }
        classes.put(
                name,
                new ClassOutline(
                        name,
                        reader.getSuperName() == null ? null : dotted(reader.getSuperName()),
                        List.copyOf(interfaces),
                        reader.getAccess(),
                        origin,
                        List.copyOf(methods)));
    }

    private static boolean hasVariable(String signature) {
        for (int i = 0; i < signature.length() - 1; i++) {
            if (signature.charAt(i) == 'T' && i > 0 && "();[<*+-:^ZBCSIJFD".indexOf(signature.charAt(i - 1)) >= 0) {
                return true;
            }
        }
        return false;
    }

    private String dotted(String internal) {
        return shared(internal.replace('/', '.'));
    }

    private String shared(String text) {
        String before = names.putIfAbsent(text, text);
        return before == null ? text : before;
    }

    private void link() {
        for (ClassOutline type : classes.values()) {
            if (type.superName() != null && !type.superName().equals("java.lang.Object")) {
                subtypes.computeIfAbsent(type.superName(), name -> new ArrayList<>(1))
                        .add(type.name());
            }
            for (String name : type.interfaces()) {
                subtypes.computeIfAbsent(name, key -> new ArrayList<>(1)).add(type.name());
            }
        }
    }

    /** The class with this binary name. */
    public Optional<ClassOutline> find(String name) {
        return Optional.ofNullable(classes.get(name));
    }

    public Collection<ClassOutline> all() {
        return Collections.unmodifiableCollection(classes.values());
    }

    /** What could not be read, for people. */
    public List<String> notices() {
        return Collections.unmodifiableList(notices);
    }

    /** The classes and interfaces that extend or implement the type, directly or not; without itself. */
    public Set<String> subtypesOf(String name) {
        Set<String> all = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>(subtypes.getOrDefault(name, List.of()));
        while (!open.isEmpty()) {
            String next = open.remove();
            if (all.add(next)) {
                open.addAll(subtypes.getOrDefault(next, List.of()));
            }
        }
        return all;
    }

    /** The type itself, its superclasses, then the interfaces of all of them; names that are in no jar, such as the JDK's, too. */
    public Set<String> supertypesOf(String name) {
        Set<String> all = new LinkedHashSet<>();
        for (String next = name; next != null && all.add(next); ) {
            next = find(next).map(ClassOutline::superName).orElse(null);
        }
        Deque<String> open = new ArrayDeque<>(all);
        while (!open.isEmpty()) {
            find(open.remove()).ifPresent(type -> {
                for (String inherited : type.interfaces()) {
                    if (all.add(inherited)) {
                        open.add(inherited);
                    }
                }
            });
        }
        return all;
    }

    /** Whether the class is, extends or implements the type. */
    public boolean isA(String name, String type) {
        return name.equals(type) || supertypesOf(name).contains(type);
    }
}
