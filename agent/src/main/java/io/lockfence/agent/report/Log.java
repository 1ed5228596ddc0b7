/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.List;

/**
 * Lines that begin with {@code lockfence: }, on standard error or in a file. Thread safe; never throws.
 *
 * <p>It writes to the process's standard error itself, not to {@link System#err}: services replace that by bridges to their logging,
 * and an appender of theirs must not run inside of a refusal. Each call is one write without a lock of ours, so that one thread
 * that is held up by a full pipe does not hold up others.
 */
public final class Log {
    private static final String PREFIX = "lockfence: ";
    private static final int LONGEST_LINE = 4000;

    private final OutputStream out;
    private final Charset charset;

    /**
     * @param out where lines go; each line is one call of write; null for nowhere
     * @param charset of the lines
     */
    public Log(OutputStream out, Charset charset) {
        this.out = out;
        this.charset = charset;
    }

    /** The log of this JVM's process: standard error. */
    public static Log standardError() {
        return new Log(new FileOutputStream(FileDescriptor.err), consoleCharset());
    }

    /**
     * The log that {@code -Dlockfence.log} asks for.
     *
     * @param where null or empty for standard error, {@code quiet} for nowhere, else the path of a file that lines are appended to
     * @return the log on standard error if the file cannot be opened, with a line that says so
     */
    public static Log to(String where) {
        if (where == null || where.isBlank()) {
            return standardError();
        }
        if (where.equals("quiet")) {
            return new Log(null, Charset.defaultCharset());
        }
        try {
            return new Log(new FileOutputStream(where, true), StandardCharsets.UTF_8);
        } catch (IOException | RuntimeException unusable) {
            Log log = standardError();
            log.line("cannot write the log to " + where + " (" + unusable.getMessage()
                    + "), so it goes to standard error");
            return log;
        }
    }

    /** Writes one line. Control characters in it are escaped. */
    public void line(String text) {
        lines(List.of(text));
    }

    /** Writes lines that stay together. */
    public void lines(Iterable<String> texts) {
        if (out == null) {
            return;
        }
        StringBuilder block = new StringBuilder();
        for (String text : texts) {
            block.append(PREFIX).append(Words.clean(text, LONGEST_LINE)).append(System.lineSeparator());
        }
        try {
            out.write(block.toString().getBytes(charset));
        } catch (IOException | RuntimeException unwritable) {
            // There is nowhere left to say so; the counters still tell.
        }
    }

    private static Charset consoleCharset() {
        for (String property : new String[] {"stderr.encoding", "sun.stderr.encoding", "native.encoding"}) {
            String name = System.getProperty(property);
            if (name != null) {
                try {
                    return Charset.forName(name);
                } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
                    continue;
                }
            }
        }
        return Charset.defaultCharset();
    }
}
