/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.classes;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

/**
 * The class files of jars and directories, one after the other: fat jars and wars with the jars inside them, directories with the jars below
 * them, and the jars that the manifest of a named jar has on its class path. Nothing is unpacked: at any moment one class file, of
 * {@value #LARGEST_CLASS} bytes at most, is in memory. Each jar is read once, however often it is named; what cannot be read is a notice, not a failure.
 * Not for several threads.
 *
 * <p>The classes of {@code META-INF/versions} are left out: what a library does on another JDK.
 */
public final class ClassFiles {
    /** Hears what is found, in the order in which a class loader would. */
    public interface Visitor {
        /**
         * A class file.
         *
         * @param bytes not kept by the walk
         */
        void classFile(Origin origin, byte[] bytes);

        /**
         * A small text of the service that may hold settings: {@code application*.properties}, {@code .yml}, {@code .yaml} among its own files.
         *
         * @param name of the entry
         */
        default void settings(Origin origin, String name, byte[] bytes) {}
    }

    /** Larger ones are left out, with a notice: a class file cannot sensibly have more. */
    static final int LARGEST_CLASS = 16 << 20;

    private static final int LARGEST_SETTINGS = 1 << 20;
    /** A jar in a jar in a jar. */
    private static final int DEEPEST = 4;
    /** What one file may unpack to: beyond it the file is a bomb. */
    private static final long MOST_BYTES = 8L << 30;

    private static final int MOST_NOTICES = 50;
    private static final Pattern VERSION = Pattern.compile("-(\\d[^/]*)\\.(?:jar|war)$");
    private static final Pattern SETTINGS = Pattern.compile("(?:.*/)?application[^/]*\\.(?:properties|yml|yaml)");

    private final Visitor visitor;
    private final boolean ownOnly;
    private final Set<Path> read = new HashSet<>();
    private final List<String> notices = new ArrayList<>();
    private long bytesLeft;

    private ClassFiles(Visitor visitor, boolean ownOnly) {
        this.visitor = visitor;
        this.ownOnly = ownOnly;
    }

    /**
     * Walks through jars and directories.
     *
     * @param ownOnly whether jars inside and beside are left out
     * @return what could not be read, for people
     * @throws IOException if a named path is not there or not readable at all
     */
    public static List<String> walk(List<Path> paths, boolean ownOnly, Visitor visitor) throws IOException {
        ClassFiles walk = new ClassFiles(visitor, ownOnly);
        Deque<Path> beside = new ArrayDeque<>();
        for (Path path : paths) {
            if (Files.isDirectory(path)) {
                walk.directory(path);
            } else {
                walk.jar(path, true, beside);
            }
        }
        // What manifests name may name more.
        while (!ownOnly && !beside.isEmpty()) {
            Path path = beside.remove();
            if (Files.isRegularFile(path)) {
                try {
                    walk.jar(path, false, beside);
                } catch (IOException e) {
                    walk.notice(path + ": " + e.getMessage());
                }
            }
        }
        return walk.notices;
    }

    private void directory(Path root) throws IOException {
        Origin origin = new Origin(root.toString(), "", true);
        List<Path> jars = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String name = file.toString().replace('\\', '/');
                if (isJar(name)) {
                    jars.add(file);
                } else if (wanted(name) && attributes.isRegularFile()) {
                    bytesLeft = MOST_BYTES;
                    try (InputStream in = Files.newInputStream(file)) {
                        entry(origin, name, in);
                    }
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (file.equals(root)) {
                    throw e;
                }
                notice(file + ": " + e);
                return FileVisitResult.CONTINUE;
            }
        });
        if (ownOnly) {
            return;
        }
        jars.sort(Comparator.naturalOrder());
        for (Path jar : jars) {
            try {
                jar(jar, false, new ArrayDeque<>());
            } catch (IOException e) {
                notice(jar + ": " + e.getMessage());
            }
        }
    }

    private void jar(Path path, boolean named, Deque<Path> beside) throws IOException {
        Path real = path.toRealPath();
        if (!read.add(real)) {
            return;
        }
        bytesLeft = MOST_BYTES;
        String file = String.valueOf(path.getFileName());
        try (ZipFile zip = new ZipFile(real.toFile())) {
            Manifest manifest = manifest(zip);
            Origin origin = new Origin(
                    path.toString(), version(file, manifest, named && hasNested(zip) ? "" : mavenVersion(zip)), named);
            Origin library = new Origin(path.toString(), origin.version(), false);
            List<ZipEntry> nested = new ArrayList<>();
            for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements(); ) {
                ZipEntry entry = entries.nextElement();
                if (isJar(entry.getName())) {
                    nested.add(entry);
                } else if (wanted(entry.getName())) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        entry(loader(entry.getName()) ? library : origin, entry.getName(), in);
                    } catch (IOException e) {
                        notice(path + "!" + entry.getName() + ": " + e.getMessage());
                    }
                }
            }
            if (!ownOnly) {
                for (ZipEntry entry : nested) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        nested(path + "!" + entry.getName(), in, 1);
                    } catch (IOException e) {
                        notice(path + "!" + entry.getName() + ": " + e.getMessage());
                    }
                }
                besides(real, manifest, beside);
            }
        } catch (ZipException e) {
            throw new IOException("not a jar, or a broken one: " + e.getMessage(), e);
        }
    }

    /** Spring Boot's own launcher lies at the root of a fat jar. */
    private static boolean loader(String entry) {
        return entry.startsWith("org/springframework/boot/loader/");
    }

    private void nested(String path, InputStream in, int depth) throws IOException {
        Origin origin = new Origin(path, version(path, null, ""), false);
        // Not closed: it would close the outer stream.
        @SuppressWarnings("resource")
        ZipInputStream zip = new ZipInputStream(in);
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
            String name = entry.getName();
            if (isJar(name)) {
                if (depth < DEEPEST) {
                    nested(path + "!" + name, zip, depth + 1);
                } else {
                    notice(path + "!" + name + ": more than " + DEEPEST + " jars inside one another; not read");
                }
            } else if (wanted(name)) {
                entry(origin, name, zip);
            }
        }
    }

    private static boolean isJar(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".jar") || lower.endsWith(".war");
    }

    private static boolean wanted(String name) {
        if (name.endsWith(".class")) {
            return !name.startsWith("META-INF/versions/")
                    && !name.endsWith("module-info.class")
                    && !name.endsWith("package-info.class");
        }
        return SETTINGS.matcher(name).matches();
    }

    private void entry(Origin origin, String name, InputStream in) throws IOException {
        boolean isClass = name.endsWith(".class");
        if (!isClass && !origin.own()) {
            return;
        }
        int most = isClass ? LARGEST_CLASS : LARGEST_SETTINGS;
        byte[] bytes = in.readNBytes(most + 1);
        bytesLeft -= bytes.length;
        if (bytesLeft < 0) {
            throw new IOException("unpacks to more than " + (MOST_BYTES >> 30) + " GiB");
        }
        if (bytes.length > most) {
            notice(origin.path() + "!" + name + ": more than " + (most >> 20) + " MiB; not read");
        } else if (!isClass) {
            visitor.settings(origin, name, bytes);
        } else if (bytes.length > 8 && bytes[0] == (byte) 0xCA && bytes[1] == (byte) 0xFE) {
            try {
                visitor.classFile(origin, bytes);
            } catch (RuntimeException e) {
                // A parser that stumbles over one strange class must not hide all others.
                notice(origin.path() + "!" + name + ": not a class file that can be read (" + e + ")");
            }
        } else {
            notice(origin.path() + "!" + name + ": not a class file");
        }
    }

    private void notice(String text) {
        if (notices.size() < MOST_NOTICES) {
            notices.add(text);
        } else if (notices.size() == MOST_NOTICES) {
            notices.add("and more");
        }
    }

    private static Manifest manifest(ZipFile zip) {
        ZipEntry entry = zip.getEntry(JarFile.MANIFEST_NAME);
        if (entry == null) {
            return null;
        }
        try (InputStream in = zip.getInputStream(entry)) {
            return new Manifest(in);
        } catch (IOException e) {
            // A manifest of a wrong form tells no version; the classes are there all the same.
            return null;
        }
    }

    private static boolean hasNested(ZipFile zip) {
        return zip.stream().anyMatch(entry -> isJar(entry.getName()));
    }

    private static String mavenVersion(ZipFile zip) throws IOException {
        List<? extends ZipEntry> found = zip.stream()
                .filter(entry -> entry.getName().matches("META-INF/maven/[^/]+/[^/]+/pom\\.properties"))
                .toList();
        // Several: a shaded jar, whose own version none of them tells.
        if (found.size() != 1) {
            return "";
        }
        Properties properties = new Properties();
        try (InputStream in = zip.getInputStream(found.get(0))) {
            properties.load(in);
        } catch (IllegalArgumentException e) {
            return "";
        }
        return properties.getProperty("version", "");
    }

    private static String version(String file, Manifest manifest, String maven) {
        if (!maven.isEmpty()) {
            return maven;
        }
        if (manifest != null) {
            String version = manifest.getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
            if (version != null) {
                return version;
            }
        }
        Matcher matcher = VERSION.matcher(file);
        return matcher.find() ? matcher.group(1) : "";
    }

    private static void besides(Path jar, Manifest manifest, Deque<Path> beside) {
        String classPath =
                manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
        if (classPath == null) {
            return;
        }
        for (String name : classPath.trim().split("\\s+")) {
            if (isJar(name) && !name.contains(":")) {
                try {
                    beside.add(jar.resolveSibling(name));
                } catch (InvalidPathException e) {
                    // The JVM ignores it too.
                }
            }
        }
    }
}
