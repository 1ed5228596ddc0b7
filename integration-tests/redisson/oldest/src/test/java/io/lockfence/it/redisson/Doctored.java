/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.redisson;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * A copy of Redisson, and of the class that uses it, in which methods have other names: what a later version might do. It shares nothing
 * with the test but the bootstrap and instrumentation classes.
 */
final class Doctored extends URLClassLoader {
    private final Set<String> renamed;

    /**
     * @param renamed methods of Redisson's classes that are called something else in the copy, calls included
     */
    Doctored(Set<String> renamed) {
        super(classPath(), ClassLoader.getPlatformClassLoader());
        this.renamed = renamed;
    }

    private static URL[] classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(java.io.File.pathSeparator))
                .map(entry -> {
                    try {
                        return Path.of(entry).toUri().toURL();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .toArray(URL[]::new);
    }

    /** Calls the static method {@code run()} of the copy of a class of the tests' own. */
    @SuppressWarnings("unchecked")
    <T> T run(Class<?> scenario) throws Exception {
        var method = Class.forName(scenario.getName(), true, this).getDeclaredMethod("run");
        method.setAccessible(true);
        return (T) method.invoke(null);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith("io.lockfence.bootstrap.") || name.startsWith("io.lockfence.instrumentation.")) {
            return Doctored.class.getClassLoader().loadClass(name);
        }
        return super.loadClass(name, resolve);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        String file = name.replace('.', '/') + ".class";
        try (InputStream in = name.startsWith("org.redisson.") ? getResourceAsStream(file) : null) {
            if (in == null) {
                return super.findClass(name);
            }
            byte[] copy = copy(in.readAllBytes());
            return defineClass(name, copy, 0, copy.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bytes of a class of the copy, or null if Redisson has no such class. */
    byte[] bytes(String name) {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            return in == null ? null : copy(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] copy(byte[] bytes) {
        String text = new String(bytes, ISO_8859_1);
        return renamed.stream().anyMatch(text::contains) ? rename(bytes) : bytes;
    }

    private String other(String method) {
        return renamed.contains(method) ? method + "Renamed" : method;
    }

    private byte[] rename(byte[] bytes) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(bytes)
                .accept(
                        new ClassVisitor(Opcodes.ASM9, writer) {
                            @Override
                            public MethodVisitor visitMethod(
                                    int access, String name, String descriptor, String signature, String[] exceptions) {
                                return new MethodVisitor(
                                        Opcodes.ASM9,
                                        super.visitMethod(access, other(name), descriptor, signature, exceptions)) {
                                    @Override
                                    public void visitMethodInsn(
                                            int opcode, String owner, String called, String type, boolean isInterface) {
                                        boolean theirs = owner.startsWith("org/redisson/");
                                        super.visitMethodInsn(
                                                opcode, owner, theirs ? other(called) : called, type, isInterface);
                                    }

                                    @Override
                                    public void visitInvokeDynamicInsn(
                                            String called, String type, Handle bootstrap, Object... arguments) {
                                        Object[] copy = arguments.clone();
                                        for (int i = 0; i < copy.length; i++) {
                                            if (copy[i] instanceof Handle handle
                                                    && handle.getOwner().startsWith("org/redisson/")) {
                                                copy[i] = new Handle(
                                                        handle.getTag(),
                                                        handle.getOwner(),
                                                        other(handle.getName()),
                                                        handle.getDesc(),
                                                        handle.isInterface());
                                            }
                                        }
                                        super.visitInvokeDynamicInsn(called, type, bootstrap, copy);
                                    }
                                };
                            }
                        },
                        0);
        return writer.toByteArray();
    }
}
