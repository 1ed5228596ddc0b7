/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles fixtures: texts of several sources, each after a line {@code //// path/Name.java}. */
public final class Compiled {
    private Compiled() {}

    /** The text of a fixture beside the tests of the command line. */
    public static String fixture(String name) throws IOException {
        try (InputStream in = Compiled.class.getResourceAsStream("fixture/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Compiles texts.
     *
     * @param directory for sources and classes
     * @return the directory of the classes
     */
    public static Path classes(Path directory, List<String> options, String... texts) throws IOException {
        Path sources = Files.createDirectories(directory.resolve("sources"));
        Path classes = Files.createDirectories(directory.resolve("classes"));
        List<Path> files = new ArrayList<>();
        for (String text : texts) {
            for (String part : text.split("(?m)^//// ")) {
                if (!part.isBlank()) {
                    int end = part.indexOf('\n');
                    Path file = sources.resolve(part.substring(0, end).strip());
                    Files.createDirectories(file.getParent());
                    Files.writeString(file, part.substring(end + 1));
                    files.add(file);
                }
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> all = new ArrayList<>(List.of("-proc:none", "-g", "-d", classes.toString()));
            all.addAll(options);
            boolean done = compiler.getTask(said, manager, null, all, null, manager.getJavaFileObjectsFromPaths(files))
                    .call();
            assertThat(done).as("%s", said).isTrue();
        }
        return classes;
    }

    /** Packs files of a directory under a prefix; of jars stored, as Spring Boot does. */
    public static void pack(ZipOutputStream zip, Path directory, String prefix, String below) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                String name = directory.relativize(file).toString().replace('\\', '/');
                if (name.startsWith(below)) {
                    zip.putNextEntry(new ZipEntry(prefix + name));
                    Files.copy(file, zip);
                    zip.closeEntry();
                }
            }
        }
    }

    /** A jar of the classes whose paths begin so. */
    public static Path jar(Path file, Path classes, String below) throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            pack(zip, classes, "", below);
        }
        return file;
    }
}
