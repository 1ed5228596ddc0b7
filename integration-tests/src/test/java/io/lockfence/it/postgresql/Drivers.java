/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import io.lockfence.agent.Weaving;
import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.instrumentation.Point;
import io.lockfence.instrumentation.postgresql.PostgresLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Copies of the driver in class loaders of their own, bare or woven: several versions, side by side in one JVM. */
final class Drivers {
    static final String NEWEST = "42.7.14";
    static final String OLDEST = "42.7.0";
    static final String OLD_LINE = "42.2.29";

    private static final Path JARS = Path.of("target", "drivers");

    private Drivers() {}

    /** One copy of the driver. */
    static final class Copy extends URLClassLoader {
        private final List<Point> points;
        private final Set<Point> matched = new HashSet<>();

        private Copy(URL jar, List<Point> points) {
            super(new URL[] {jar}, Drivers.class.getClassLoader());
            this.points = points;
        }

        Driver driver() {
            try {
                return (Driver)
                        loadClass("org.postgresql.Driver").getConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        Set<String> wovenCapabilities() {
            return matched.stream().map(Point::capability).collect(Collectors.toSet());
        }

        Set<Point> matched() {
            return matched;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded == null) {
                    loaded = name.startsWith("org.postgresql.") ? findClass(name) : super.loadClass(name, false);
                }
                return loaded;
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            List<Point> here = points.stream()
                    .filter(point -> point.className().equals(name))
                    .toList();
            if (here.isEmpty()) {
                return super.findClass(name);
            }
            // Its own: the one that is asked for first would be the parent's, of another version.
            URL resource = findResource(name.replace('.', '/') + ".class");
            if (resource == null) {
                throw new ClassNotFoundException(name);
            }
            try (InputStream in = resource.openStream()) {
                Weaving.Result woven = Weaving.weave(name, in.readAllBytes(), this, here);
                matched.addAll(woven.matched());
                return defineClass(name, woven.bytes(), 0, woven.bytes().length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static Copy bare(String version) {
        return new Copy(jar(version), List.of());
    }

    static Copy woven(String version) {
        AdviceLinker.adviceLoader(PostgresLibrary.class.getClassLoader());
        return new Copy(jar(version), new PostgresLibrary().points());
    }

    private static URL jar(String version) {
        Path jar = JARS.resolve("postgresql-" + version + ".jar");
        if (!Files.exists(jar)) {
            throw new IllegalStateException(jar.toAbsolutePath() + " is missing; the build copies it there");
        }
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }
}
