/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/** Reads a rules file, and says everything that is wrong with it at once. Time and memory are bounded whatever the file holds. */
public final class RulesLoader {
    private static final int LARGEST = 1 << 20;
    /** The YAML scanner takes time in the square of a scalar's length. */
    private static final int LONGEST_LINE = 50_000;

    private static final String NOT_TEXT = "a rules file is text in UTF-8; is this the right file?";

    private RulesLoader() {}

    /**
     * Reads a file.
     *
     * @throws RulesException with all problems of the file, in its order; also if it cannot be read
     */
    public static Rules load(File file) throws RulesException {
        return load(file, null);
    }

    /**
     * Reads a file.
     *
     * @param environment where the keys must be that the rules name; null to leave open whether they are there
     * @throws RulesException with all problems of the file, in its order; also if it cannot be read
     */
    public static Rules load(File file, Map<String, String> environment) throws RulesException {
        return parse(textOf(file), file.getPath(), environment);
    }

    /**
     * The text of a file, for {@link #parse}.
     *
     * @throws RulesException if it cannot be read, or is not text
     */
    public static String textOf(File file) throws RulesException {
        try {
            return text(read(file));
        } catch (YamlTree.Unreadable e) {
            throw new RulesException(file.getPath(), List.of(e.problem()), false);
        }
    }

    /**
     * Reads the text of a file.
     *
     * @param source as messages name it
     * @throws RulesException with all problems of the text, in its order
     */
    public static Rules parse(String text, String source) throws RulesException {
        return parse(text, source, null);
    }

    /**
     * Reads the text of a file.
     *
     * @param source as messages name it
     * @param environment where the keys must be that the rules name; null to leave open whether they are there
     * @throws RulesException with all problems of the text, in its order
     */
    public static Rules parse(String text, String source, Map<String, String> environment) throws RulesException {
        Problems problems = new Problems();
        try {
            refuseWhatNobodyWrites(text);
            YamlNode root = YamlTree.of(text);
            if (root == null || root instanceof YamlNode.Text empty && empty.absent()) {
                throw new YamlTree.Unreadable(
                        Problem.of("the file is empty", "expected 'mode: observe', for example, or no file at all"));
            }
            RulesReader reader = new RulesReader(problems, environment);
            Rules rules = reader.read(root, source);
            if (rules == null) {
                throw new RulesException(source, problems.list(), reader.strict());
            }
            return rules;
        } catch (YamlTree.Unreadable e) {
            throw new RulesException(source, List.of(e.problem()), saysStrict(text));
        }
    }

    /** What the lines say where the whole is not YAML. */
    private static boolean saysStrict(String text) {
        return Pattern.compile("^strict[ \\t]*:[ \\t]+true[ \\t]*(#.*)?$", Pattern.MULTILINE)
                .matcher(text)
                .find();
    }

    private static byte[] read(File file) throws YamlTree.Unreadable {
        if (!file.exists()) {
            throw unreadable(
                    "the file does not exist, or its directory cannot be read", "looked for " + file.getAbsolutePath());
        }
        if (file.isDirectory()) {
            throw unreadable("this is a directory", "name the file in it");
        }
        if (!file.isFile()) {
            throw unreadable("this is a pipe or a device", "expected a regular file");
        }
        try (InputStream in = new FileInputStream(file)) {
            byte[] bytes = in.readNBytes(LARGEST + 1);
            if (bytes.length > LARGEST) {
                throw unreadable(
                        "the file has more than 1 MiB", "a rules file has a few kilobytes; is this the right file?");
            }
            return bytes;
        } catch (IOException e) {
            throw unreadable("the file cannot be read: " + e.getMessage(), "let the user of this process read it");
        }
    }

    private static String text(byte[] bytes) throws YamlTree.Unreadable {
        if (bytes.length >= 2 && ((bytes[0] & bytes[1]) == (byte) 0xFE && bytes[0] != bytes[1])) {
            throw unreadable("the file is text in UTF-16", "save it as UTF-8");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length + 1);
        CoderResult result = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(in, out, true);
        String text = out.flip().toString();
        if (result.isError()) {
            throw at(
                    text,
                    text.length(),
                    "a byte that is not UTF-8 (0x" + Integer.toHexString(bytes[in.position()] & 0xFF) + ")");
        }
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private static void refuseWhatNobodyWrites(String text) throws YamlTree.Unreadable {
        int start = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            if (c == '\n') {
                start = i + 1;
            }
            if (i - start >= LONGEST_LINE) {
                throw at(text, i, "a line of more than " + LONGEST_LINE + " characters");
            }
            if (!StreamReader.isPrintable(c)) {
                throw at(text, i, String.format("a character that YAML does not allow (U+%04X)", c));
            }
            i += Character.charCount(c);
        }
    }

    private static YamlTree.Unreadable at(String text, int index, String what) {
        int line = 1
                + (int) text.substring(0, index).chars().filter(c -> c == '\n').count();
        int start = text.lastIndexOf('\n', index - 1) + 1;
        return new YamlTree.Unreadable(new Problem(line, text.codePointCount(start, index) + 1, what, NOT_TEXT, ""));
    }

    private static YamlTree.Unreadable unreadable(String what, String expected) {
        return new YamlTree.Unreadable(Problem.of(what, expected));
    }
}
