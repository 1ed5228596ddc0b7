/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * Clients and servers by name. {@code OkHttpSync@okhttp-5.5.1} is the adapter {@code client.OkHttpSync} over the jars of {@code target/libs/okhttp-5.5.1}; without
 * {@code @} it is one that needs nothing but the JDK. Each name is a class loader of its own, which sees those jars, the JDK, and of this service only the
 * interfaces that adapters implement.
 */
public class Adapters {
    private static final Set<String> SHARED = Set.of(
            Client.class.getName(),
            Client.Call.class.getName(),
            Server.class.getName(),
            Handler.class.getName(),
            Request.class.getName(),
            Reply.class.getName());

    /** A new client. */
    public final Client client(String name) {
        return adapter("client", name, Client.class);
    }

    /** A new server, not started. */
    public final Server server(String name) {
        return adapter("server", name, Server.class);
    }

    /** The versions of a library that the build has put there, in the order of their text; empty if there is no such library. */
    public static List<String> versions(String library) {
        try (Stream<Path> folders = Files.list(libs())) {
            return folders.map(folder -> folder.getFileName().toString())
                    .filter(name ->
                            name.startsWith(library + "-") && Character.isDigit(name.charAt(library.length() + 1)))
                    .map(name -> name.substring(library.length() + 1))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private <T> T adapter(String kind, String name, Class<T> type) {
        int at = name.indexOf('@');
        String simpleName = at < 0 ? name : name.substring(0, at);
        List<URL> urls = new ArrayList<>(List.of(here()));
        if (at >= 0) {
            urls.addAll(jars(name.substring(at + 1)));
        }
        Copy copy = new Copy(name, urls.toArray(URL[]::new));
        String className = Adapters.class.getPackageName() + "." + kind + "." + simpleName;
        try {
            Object adapter = inside(
                    copy,
                    () -> copy.loadClass(className).getDeclaredConstructor().newInstance());
            return type.cast(Proxy.newProxyInstance(
                    Adapters.class.getClassLoader(),
                    new Class<?>[] {type},
                    (proxy, method, args) -> inside(copy, () -> method.invoke(adapter, args))));
        } catch (Exception e) {
            throw new IllegalArgumentException("no " + kind + " " + name, e);
        }
    }

    /**
     * As in a service of its own: libraries look up their parts (ServiceLoader) by the thread's class loader, and hand it to the threads that they start.
     */
    private static Object inside(ClassLoader loader, Callable<Object> call) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return call.call();
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Whether a class that is not the JDK's comes from where this service's classes come from; for subclasses in tests. */
    protected boolean shares(String className) {
        return SHARED.contains(className);
    }

    /** The bytes to define a class of an adapter or its library with; for subclasses in tests. */
    protected byte[] define(String className, byte[] bytes, ClassLoader loader) {
        return bytes;
    }

    private static URL here() {
        return Adapters.class.getProtectionDomain().getCodeSource().getLocation();
    }

    private static Path libs() {
        try {
            return Path.of(here().toURI()).resolveSibling("libs");
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<URL> jars(String folder) {
        try (Stream<Path> files = Files.list(libs().resolve(folder))) {
            return files.sorted().map(Path::toUri).map(Adapters::url).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static URL url(URI uri) {
        try {
            return uri.toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** One library in one version, and the adapters. */
    private final class Copy extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        Copy(String name, URL[] urls) {
            super(name, urls, ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return shares(name) ? Adapters.class.getClassLoader().loadClass(name) : super.loadClass(name, resolve);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            // Not the service's own: a second Redisson would not be what the caller uses.
            URL resource = findResource(name.replace('.', '/') + ".class");
            if (resource == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] before;
            try (InputStream in = resource.openStream()) {
                before = in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
            byte[] after = define(name, before, this);
            return after == before ? super.findClass(name) : defineClass(name, after, 0, after.length);
        }
    }
}
