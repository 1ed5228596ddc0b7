/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * A service that is compiled, when the test runs, against the version of a server that it then runs on: the same source for {@code javax.servlet} and
 * {@code jakarta.servlet}. In a class loader of its own, which sees of the tests {@link Probe} alone.
 */
final class CompiledService implements AutoCloseable {
    private final URLClassLoader loader;
    private final Object server;

    /**
     * @param jars a folder
     * @param main the class that starts the server when it is made, tells the port as an {@link IntSupplier}, and is closed
     * @param words what stands in the sources for each {@code $word}
     * @param sources names under {@code servers/} of the resources, without {@code .java.txt}
     */
    CompiledService(Path jars, String main, Map<String, String> words, String... sources) throws Exception {
        List<Path> files;
        try (Stream<Path> all = Files.list(jars)) {
            files = all.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        }
        Path classes = Files.createTempDirectory("lockfence-service");
        compile(files, classes, words, sources);
        List<URL> urls = new ArrayList<>(List.of(url(classes.toUri())));
        files.forEach(file -> urls.add(url(file.toUri())));
        loader = new Shared(urls.toArray(URL[]::new));
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            server = loader.loadClass("service." + main).getConstructor().newInstance();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    int port() {
        return ((IntSupplier) server).getAsInt();
    }

    @Override
    public void close() throws IOException {
        try {
            ((AutoCloseable) server).close();
        } catch (Exception e) {
            throw new IOException(e);
        } finally {
            loader.close();
        }
    }

    private static void compile(List<Path> jars, Path classes, Map<String, String> words, String... sources)
            throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<File> path = new ArrayList<>(jars.stream().map(Path::toFile).toList());
            path.add(Path.of(Probe.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath())
                    .toFile());
            files.setLocation(StandardLocation.CLASS_PATH, path);
            files.setLocation(StandardLocation.CLASS_OUTPUT, List.of(classes.toFile()));
            List<Source> units =
                    Stream.of(sources).map(name -> new Source(name, words)).toList();
            if (!compiler.getTask(messages, files, null, List.of("-proc:none", "-nowarn"), null, units)
                    .call()) {
                throw new IllegalStateException(messages.toString());
            }
        }
    }

    private static URL url(URI uri) {
        try {
            return uri.toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, Map<String, String> words) {
            super(URI.create("string:///service/" + name + Kind.SOURCE.extension), JavaFileObject.Kind.SOURCE);
            try (InputStream in = CompiledService.class.getResourceAsStream("/servers/" + name + ".java.txt")) {
                String source = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                for (Map.Entry<String, String> word : words.entrySet()) {
                    source = source.replace("$" + word.getKey(), word.getValue());
                }
                text = source;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Shared extends URLClassLoader {
        Shared(URL[] urls) {
            super(urls, ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(Probe.class.getName()) ? Probe.class : super.loadClass(name, resolve);
        }
    }
}
