/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Reads files that nobody would write, in a JVM of its own with little memory: each must be read or refused. Prints a line for each. */
final class HostileFiles {
    /** What the loader reads at most. */
    private static final int LARGEST = 1 << 20;

    private HostileFiles() {}

    /** @param arguments a directory with the files */
    public static void main(String[] arguments) {
        File[] files = new File(arguments[0]).listFiles();
        Arrays.sort(files);
        for (File file : files) {
            long start = System.nanoTime();
            String ended;
            try {
                RulesLoader.load(file);
                ended = "read";
            } catch (RulesException e) {
                ended = e.problems().isEmpty() ? "refused without a problem" : "refused";
            } catch (Throwable t) {
                ended = "crash: " + t;
            }
            System.out.println(file.getName() + ": " + ended + ", " + (System.nanoTime() - start) / 1_000_000);
        }
    }

    /** Writes the files, each named for what it is. */
    static void write(Path directory) throws IOException {
        for (Map.Entry<String, Supplier<String>> hostile : files().entrySet()) {
            Files.writeString(
                    directory.resolve(hostile.getKey()), hostile.getValue().get());
        }
    }

    private static Map<String, Supplier<String>> files() {
        Map<String, Supplier<String>> files = new LinkedHashMap<>();
        files.put("10 MB of comments", () -> "# rules\n".repeat(10 * LARGEST / 8));
        files.put(
                "10 MB of rules",
                () -> "locks:\n" + "  - {name: a, library: redisson, key: b}\n".repeat(10 * LARGEST / 40));
        files.put("10 MB of one line", () -> "mode: " + "x".repeat(10 * LARGEST));
        files.put("10 MB of brackets", () -> "[".repeat(10 * LARGEST));

        files.put("comments", () -> "mode: off\n" + "# rules\n".repeat(LARGEST / 8 - 2));
        files.put("blanks", () -> "mode: off\n" + " \n".repeat(LARGEST / 2 - 10));
        files.put("one line", () -> "mode: " + "x".repeat(LARGEST - 10));
        files.put("the longest lines", () -> ("mode: " + "x".repeat(49_900) + "\n").repeat(20));

        files.put("lists in a line", () -> lines("[", LARGEST));
        files.put("lists in a line, with blanks", () -> lines("[ ", LARGEST / 2));
        files.put("tables in a line", () -> lines("{a: ", LARGEST / 4));
        files.put("keys that are lists", () -> lines("? ", LARGEST / 2));
        files.put("lists in blocks", () -> lines("- ", LARGEST / 2));
        files.put("brackets that close", () -> lines("]", LARGEST));
        files.put("lists, a line each", () -> "locks: \n" + "[\n".repeat(LARGEST / 2 - 10));
        files.put("tables, a line each", () -> "locks: \n" + "{a:\n".repeat(LARGEST / 4 - 10));
        files.put("ever deeper blocks", HostileFiles::deeper);
        files.put("lists beside each other", () -> "locks: [" + "[],\n".repeat(LARGEST / 4 - 10) + "]");

        files.put("a billion laughs", () -> laughs(10, 30));
        files.put("a billion laughs, in fewer aliases", () -> laughs(7, 7));
        files.put("a billion laughs of locks", HostileFiles::laughsOfLocks);
        files.put("aliases without an end", () -> "a: &a [x]\nlocks: [" + "*a,\n".repeat(LARGEST / 4 - 10) + "]");
        files.put("anchors without an end", HostileFiles::anchors);
        files.put("an alias of what it stands in", () -> "locks: &a [*a, *a, *a]\n");

        files.put("text of many lines", () -> "mode: x\n" + "  word\n".repeat(LARGEST / 7 - 2));
        files.put("quoted text of many lines", () -> "mode: \"x\n" + " word\n".repeat(LARGEST / 6 - 4) + "\"");
        files.put("quoted text of many lines without an end", () -> "mode: 'x\n" + " word\n".repeat(LARGEST / 6 - 4));
        files.put("escapes", () -> "mode: \"" + "\\u0041\\\n".repeat(LARGEST / 8 - 4) + "\"");
        files.put("a block of text", () -> "mode: |\n" + "  word\n".repeat(LARGEST / 7 - 2));
        files.put("folded text", () -> "mode: >-\n" + "  word\n\n".repeat(LARGEST / 8 - 2));
        files.put("tags", () -> "mode: !<" + "a".repeat(49_000) + "> x\n");
        files.put("directives", () -> "%TAG !a! tag:a,2000:\n".repeat(LARGEST / 21 - 1) + "---\nmode: off\n");
        files.put("documents", () -> "--- a\n".repeat(LARGEST / 6 - 1));

        files.put("one key again and again", () -> "mode: off\n".repeat(LARGEST / 10 - 1));
        files.put("many keys", HostileFiles::keys);
        files.put("many misspelt keys", () -> "loks: x\n".repeat(LARGEST / 8 - 1));
        files.put("many entries that are none", () -> "locks:\n" + "- x\n".repeat(LARGEST / 4 - 10));
        files.put(
                "a thousand empty entries",
                () -> "locks:\n" + "- {}\n".repeat(999) + "targets:\n" + "- {}\n".repeat(49));
        files.put("a thousand keys that almost match", () -> almost("{x}" + "a".repeat(480) + "b{y}", "a".repeat(800)));
        files.put("a thousand keys of many captures", () -> almost(captures(), "a".repeat(800)));
        files.put("a thousand resources of many captures", () -> resources());
        files.put("fifty targets that almost match", HostileFiles::targets);
        files.put("fifty services that almost match", HostileFiles::services);
        files.put("rules on requests that almost match", HostileFiles::receive);
        files.put(
                "networks and executors without an end",
                () -> "receive: [{name: a, path: /a, trust: network, from: [" + "192.0.2.0/24, ".repeat(20_000)
                        + "]}]\npropagate: {exclude: [" + "'**a', ".repeat(100_000) + "]}\n");
        files.put("names of targets without an end", HostileFiles::protects);
        files.put(
                "a key of the longest line",
                () -> "locks:\n"
                        + ("- {name: a, library: redisson, key: '{x}" + "a".repeat(49_000) + "'}\n").repeat(20));
        return files;
    }

    private static String lines(String piece, int times) {
        int each = 40_000 / piece.length();
        return (piece.repeat(each) + "\n").repeat(Math.max(1, times / each - 1));
    }

    private static String deeper() {
        StringBuilder text = new StringBuilder();
        for (int depth = 0; text.length() < LARGEST - 3_000; depth++) {
            text.append(" ".repeat(depth)).append("a:\n");
        }
        return text.toString();
    }

    private static String laughs(int levels, int each) {
        StringBuilder text = new StringBuilder("a0: &a0 [lol]\n");
        for (int i = 1; i <= levels; i++) {
            text.append("a").append(i).append(": &a").append(i).append(" [");
            text.append(("*a" + (i - 1) + ", ").repeat(each)).append("]\n");
        }
        return text + "locks: *a" + levels + "\n";
    }

    /** Within the number of aliases that are allowed. */
    private static String laughsOfLocks() {
        StringBuilder text =
                new StringBuilder("locks: &a0 [" + "{name: a, library: redisson, key: 'a{x}'}, ".repeat(900) + "]\n");
        for (int i = 1; i <= 8; i++) {
            text.append("? &a")
                    .append(i)
                    .append(" [*a")
                    .append(i - 1)
                    .append(", *a")
                    .append(i - 1)
                    .append("]\n: x\n");
        }
        return text.append("targets: *a8\n").toString();
    }

    private static String anchors() {
        StringBuilder text = new StringBuilder("locks: [");
        for (int i = 0; text.length() < LARGEST - 100; i++) {
            text.append("&a").append(i).append(" x,\n");
        }
        return text.append("]").toString();
    }

    private static String keys() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; text.length() < LARGEST - 100; i++) {
            text.append('k').append(i).append(": x\n");
        }
        return text.toString();
    }

    private static String captures() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 19; i++) {
            text.append("{x").append(i).append("}").append("a".repeat(20)).append("b");
        }
        return text.append("{y}").toString();
    }

    /** Every later key is compared with every earlier one: half of them of the first kind, half of the second. */
    private static String almost(String first, String second) {
        StringBuilder text = new StringBuilder("locks:\n");
        for (int i = 0; i < 1000; i++) {
            text.append("- {name: l").append(i).append(", library: redisson, key: '");
            text.append(i < 500 ? first + "c" + i : second + i + "z").append("'}\n");
        }
        return text.toString();
    }

    private static String resources() {
        StringBuilder text = new StringBuilder("locks:\n");
        for (int i = 0; i < 1000; i++) {
            text.append("- {name: l")
                    .append(i)
                    .append(", library: redisson, key: '")
                    .append(i)
                    .append(captures());
            text.append("', resource: '").append("{x0}".repeat(30)).append("'}\n");
        }
        return text.toString();
    }

    private static String targets() {
        StringBuilder text = new StringBuilder("targets:\n");
        for (int i = 0; i < 50; i++) {
            text.append("- {name: t").append(i).append(", jdbc: 'jdbc:postgresql:");
            text.append("**a*a".repeat(94)).append(i).append("'}\n");
        }
        return text.toString();
    }

    private static String services() {
        StringBuilder text = new StringBuilder("targets:\n");
        for (int i = 0; i < 50; i++) {
            text.append("- {name: t").append(i).append(", http: 'https://");
            text.append("*a".repeat(100))
                    .append("/")
                    .append("**a*a".repeat(55))
                    .append(i)
                    .append("'}\n");
        }
        return text.toString();
    }

    private static String receive() {
        StringBuilder text = new StringBuilder("receive:\n");
        for (int i = 0; i < 100; i++) {
            text.append("- {name: t").append(i).append(", trust: none, path: '/");
            text.append("**a*a".repeat(39)).append(i).append("'}\n");
        }
        return text.toString();
    }

    private static String protects() {
        StringBuilder text = new StringBuilder("locks:\n");
        for (int i = 0; i < 1000; i++) {
            text.append("- {name: l")
                    .append(i)
                    .append(", library: redisson, key: k")
                    .append(i)
                    .append(", protects: [");
            text.append("target-that-is-not, ".repeat(40)).append("t]}\n");
        }
        return text + "targets:\n" + "- {name: target-that-is-nit, jdbc: 'jdbc:postgresql:x'}\n".repeat(50);
    }
}
