/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.WovenLocks;
import io.lockfence.instrumentation.Library;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Keeps the table in {@code docs/support.md} true: the row of the version that this module is compiled against says which level of the fail-safe ladder its classes allow, and which tests
 * the module has. {@code -Dlockfence.support=write} writes the row.
 */
public abstract class SupportContract {
    private static final Pattern VERSION = Pattern.compile("(.+?)-(\\d[\\w.]*)\\.jar");
    private static final String CONTRACT = "ContractTest";

    /** What weaves it. */
    protected abstract Library library();

    /** A class of the library, whose jar has the version in its name. */
    protected abstract String anchor();

    @Test
    void theTableOfWhatIsSupportedHasThisVersion() throws Exception {
        Path table = root().resolve("docs/support.md");
        String row = row();
        if ("write".equals(System.getProperty("lockfence.support"))) {
            write(table, row);
        }
        assertThat(Files.readAllLines(table))
                .as("run the module's tests with -Dlockfence.support=write")
                .contains(row);
    }

    private String row() throws Exception {
        ClassLoader loader = getClass().getClassLoader();
        Path jar = Path.of(Class.forName(anchor(), false, loader)
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Matcher named = VERSION.matcher(jar.getFileName().toString());
        assertThat(named.matches()).as(jar.toString()).isTrue();
        Library.Level level = WovenLocks.level(library(), loader, name -> bytes(loader, name));
        TreeSet<String> contracts = new TreeSet<>();
        TreeSet<String> others = new TreeSet<>();
        for (String test : tests()) {
            if (test.endsWith(CONTRACT)) {
                contracts.add(test.substring(0, test.length() - CONTRACT.length()));
            } else if (!test.equals(getClass().getSimpleName())) {
                others.add(test);
            }
        }
        return "| " + library().name() + " | " + named.group(1) + " " + named.group(2) + " | " + level + " | "
                + String.join(", ", contracts) + " | " + String.join(", ", others) + " |";
    }

    private static byte[] bytes(ClassLoader loader, String name) {
        try (InputStream in = loader.getResourceAsStream(name.replace('.', '/') + ".class")) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The module's own. */
    private List<String> tests() throws Exception {
        Path classes = Path.of(
                getClass().getProtectionDomain().getCodeSource().getLocation().toURI());
        String folder = getClass().getPackageName().replace('.', '/');
        try (Stream<Path> files = Files.list(classes.resolve(folder))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith("Test.class") && name.indexOf('$') < 0)
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .collect(Collectors.toList());
        }
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/support.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** In the place of the same version's, else behind the last of its library. */
    private static void write(Path table, String row) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(table));
        String[] cells = row.split("\\|", -1);
        String version = "|" + cells[1] + "|" + cells[2] + "|";
        String library = "|" + cells[1] + "|";
        int at = -1;
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith(version)) {
                lines.set(i, row);
                Files.write(table, lines);
                return;
            }
            if (lines.get(i).startsWith(library) || at < 0 && lines.get(i).startsWith("|---")) {
                at = i + 1;
            }
        }
        lines.add(at, row);
        Files.write(table, lines);
    }
}
