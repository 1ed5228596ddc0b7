/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Makes files of other files, in ways that nobody would; a program too, that reads them as long as it is told to. */
final class FuzzedFiles {
    private static final String[] PIECES = {
        "mode: ",
        "enforce",
        "locks:",
        "targets:",
        "- ",
        "name: ",
        "key: ",
        "\"",
        "'",
        "{",
        "}",
        "[",
        "]",
        "*",
        "&a ",
        "*a",
        ": ",
        "\n",
        "\n  ",
        "\t",
        "#",
        "!",
        "|\n",
        ">-\n",
        "? ",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "<<: ",
        "\\",
        "\u0000",
        "\uFFFF",
        "🔒",
        "\r\n",
        "protects: ",
        "resource: ",
        "{id}",
        "{{",
        "}}",
        "10s",
        "-1",
        "1e9",
        "~",
        "true",
        "jdbc: ",
        "jdbc:postgresql://*/x",
        "strict: true",
        "http: ",
        "https://*.x:8443/**",
        "receive:",
        "path: ",
        "/x/%2e%2e/**",
        "trust: signed",
        "from: [192.0.2.0/24, ::1/128]",
        "keys: [A_KEY]",
        "propagate: {exclude: a.*}"
    };

    /** Small ones without mistakes, of which some are left after a change. */
    private static final List<byte[]> GOOD = Stream.of(
                    "mode: enforce\n# rules\n",
                    "targets:\n- {name: a, http: 'https://a:*/b/**', methods: [POST], key: A_KEY}\n",
                    "receive:\n- {name: a, path: '/a/**', trust: network, from: 192.0.2.0/24, leap: 7}\n- {name: b, path: /b, trust: none}\n",
                    "receive:\n- name: a\n  path: /a\n  trust: signed\n  keys: [A, B]\npropagate: {exclude: ['a.*', b.B]}\n")
            .map(text -> text.getBytes(StandardCharsets.UTF_8))
            .toList();

    private final Random random;
    private final List<byte[]> corpus;

    FuzzedFiles(long seed) throws IOException {
        random = new Random(seed);
        corpus = corpus();
    }

    /** @param arguments the seed, and for how many seconds */
    public static void main(String[] arguments) throws IOException {
        long seed = Long.parseLong(arguments[0]);
        FuzzedFiles files = new FuzzedFiles(seed);
        Path file = Files.createTempFile("fuzz", ".yaml");
        long end = System.nanoTime() + Integer.parseInt(arguments[1]) * 1_000_000_000L;
        int runs = 0;
        int good = 0;
        for (; System.nanoTime() < end; runs++) {
            byte[] bytes = files.next();
            Files.write(file, bytes);
            try {
                RulesLoader.load(file.toFile());
                good++;
            } catch (RulesException refused) {
                // as it should be
            } catch (Throwable crash) {
                throw new AssertionError("seed " + seed + ", run " + runs + ": " + text(bytes), crash);
            }
        }
        Files.delete(file);
        System.out.println("seed " + seed + ": " + runs + " files, of which " + good + " are rules");
    }

    /** The next one. */
    byte[] next() {
        List<byte[]> files = random.nextInt(3) == 0 ? GOOD : corpus;
        return mutated(files.get(random.nextInt(files.size())), random);
    }

    private static List<byte[]> corpus() throws IOException {
        List<byte[]> files = new ArrayList<>();
        files.add(Files.readAllBytes(Path.of("../docs/lockfence.example.yaml")));
        try (Stream<Path> cases = Files.list(Path.of("src/test/resources/io/lockfence/agent/config/wrong"))) {
            for (Path path : cases.sorted().toList()) {
                files.add(Files.readAllBytes(path));
            }
        }
        return files;
    }

    private static byte[] mutated(byte[] original, Random random) {
        StringBuilder text = new StringBuilder(text(original));
        int changes = random.nextInt(6);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(text.length() + 1);
            int to = Math.min(text.length(), at + random.nextInt(20));
            switch (random.nextInt(5)) {
                case 0 -> text.delete(at, to);
                case 1 -> text.insert(at, PIECES[random.nextInt(PIECES.length)].repeat(1 + random.nextInt(3)));
                case 2 -> text.insert(at, text.substring(at, to));
                case 3 -> text.insert(at, (char) random.nextInt(0x250));
                default -> text.replace(at, to, PIECES[random.nextInt(PIECES.length)]);
            }
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0 && random.nextInt(20) == 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
