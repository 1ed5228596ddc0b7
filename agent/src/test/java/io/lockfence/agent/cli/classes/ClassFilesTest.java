/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.classes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.agent.cli.Compiled;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassFilesTest {
    @TempDir
    Path directory;

    private Path classes;

    @BeforeEach
    void compile() throws Exception {
        classes = Compiled.classes(directory, List.of(), """
                //// app/Main.java
                package app;
                public class Main {}
                //// lib/Tool.java
                package lib;
                public class Tool {}
                """);
    }

    private static ClassIndex read(Path... paths) throws IOException {
        return ClassIndex.read(List.of(paths));
    }

    private static void stored(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(bytes.length);
        CRC32 crc = new CRC32();
        crc.update(bytes);
        entry.setCrc(crc.getValue());
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
    }

    private static void text(ZipOutputStream zip, String name, String text) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(text.getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
    }

    @Test
    void aFatJarIsReadWithTheJarsInsideIt() throws Exception {
        Path lib = Compiled.jar(directory.resolve("tool-1.2.3.jar"), classes, "lib/");
        Path fat = directory.resolve("fat.jar");
        try (OutputStream out = Files.newOutputStream(fat);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            Compiled.pack(zip, classes, "BOOT-INF/classes/", "app/");
            stored(zip, "BOOT-INF/lib/tool-1.2.3.jar", Files.readAllBytes(lib));
        }

        ClassIndex index = read(fat);

        assertThat(index.find("app.Main"))
                .get()
                .extracting(type -> type.origin().own())
                .isEqualTo(true);
        assertThat(index.find("lib.Tool")).get().satisfies(tool -> {
            assertThat(tool.origin().own()).isFalse();
            assertThat(tool.origin().version()).isEqualTo("1.2.3");
            assertThat(tool.origin().path()).endsWith("fat.jar!BOOT-INF/lib/tool-1.2.3.jar");
        });
        assertThat(index.notices()).isEmpty();
    }

    @Test
    void theJarsThatAManifestNamesAreRead() throws Exception {
        Files.createDirectories(directory.resolve("lib"));
        Compiled.jar(directory.resolve("lib/tool.jar"), classes, "lib/");
        Path app = directory.resolve("app.jar");
        try (OutputStream out = Files.newOutputStream(app);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            text(
                    zip,
                    "META-INF/MANIFEST.MF",
                    "Manifest-Version: 1.0\nClass-Path: lib/tool.jar lib/missing.jar\nImplementation-Version: 9\n");
            Compiled.pack(zip, classes, "", "app/");
        }

        ClassIndex index = read(app);

        assertThat(index.find("app.Main").orElseThrow().origin()).isEqualTo(new Origin(app.toString(), "9", true));
        assertThat(index.find("lib.Tool").orElseThrow().origin().own()).isFalse();
    }

    @Test
    void aDirectoryIsReadWithTheJarsBelowIt() throws Exception {
        Path service = Files.createDirectories(directory.resolve("service/lib"));
        Compiled.jar(service.resolve("tool.jar"), classes, "lib/");
        Files.createDirectories(directory.resolve("service/classes/app"));
        Files.copy(classes.resolve("app/Main.class"), directory.resolve("service/classes/app/Main.class"));

        ClassIndex index = read(directory.resolve("service"));

        assertThat(index.find("app.Main").orElseThrow().origin().own()).isTrue();
        assertThat(index.find("lib.Tool").orElseThrow().origin().own()).isFalse();
    }

    @Test
    void whatCannotBeReadIsANoticeAndHidesNothingElse() throws Exception {
        Path jar = directory.resolve("odd.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            text(zip, "app/NoClass.class", "this is text");
            byte[] broken = Files.readAllBytes(classes.resolve("app/Main.class"));
            broken[9] = 99;
            zip.putNextEntry(new ZipEntry("app/Broken.class"));
            zip.write(broken, 0, 60);
            zip.closeEntry();
            text(zip, "lib/broken.jar", "no jar");
            Compiled.pack(zip, classes, "", "app/");
        }

        ClassIndex index = read(jar);

        assertThat(index.find("app.Main")).isPresent();
        assertThat(index.notices())
                .anySatisfy(notice -> assertThat(notice).contains("app/NoClass.class: not a class file"))
                .anySatisfy(notice -> assertThat(notice).contains("app/Broken.class"));
    }

    @Test
    void aFileThatIsNoJarIsAnError() throws Exception {
        Path file = Files.writeString(directory.resolve("no.jar"), "text");

        assertThatThrownBy(() -> read(file)).isInstanceOf(IOException.class).hasMessageContaining("not a jar");
    }

    @Test
    void classesOfOtherJdkVersionsAreLeftOut() throws Exception {
        Path jar = directory.resolve("multi.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            Compiled.pack(zip, classes, "META-INF/versions/21/", "lib/");
            Compiled.pack(zip, classes, "", "app/");
        }

        assertThat(read(jar).all()).extracting(ClassOutline::name).containsExactly("app.Main");
    }
}
