/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A service in a JVM of its own: its lines are read as they come, and it can be stopped and woken in mid-step. Thread safe.
 *
 * <p>Standard error is part of the output, so that the agent's lines are there in their order.
 */
public final class ServiceProcess implements AutoCloseable {
    private final String name;
    private final Process process;
    private final Writer input;
    private final List<String> lines = new ArrayList<>();
    private final Thread closing;
    private boolean ended;
    /** How many lines {@link #await} has gone past. */
    private int seen;

    private ServiceProcess(String name, Process process, Consumer<String> listener) {
        this.name = name;
        this.process = process;
        this.input = process.outputWriter(StandardCharsets.UTF_8);
        this.closing = new Thread(this::kill);
        Runtime.getRuntime().addShutdownHook(closing);
        Thread reader = new Thread(() -> read(listener), "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** How a service is started. */
    public static final class Builder {
        private final String name;
        private final List<String> jvm = new ArrayList<>(
                List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-PrintWarnings"));
        private final List<String> program = new ArrayList<>();
        private final Map<String, String> environment = new java.util.HashMap<>();
        private Jdk jdk = Jdk.running();
        private Path folder;
        private Consumer<String> listener = line -> {};

        private Builder(String name) {
            this.name = name;
        }

        public Builder jdk(Jdk value) {
            jdk = value;
            return this;
        }

        /** {@code -javaagent} with this rules file. */
        public Builder agent(Path rules) {
            jvm.add("-javaagent:" + Build.agentJar() + "=config=" + rules);
            return this;
        }

        /** Options of the JVM, in front of the program. */
        public Builder jvm(String... options) {
            jvm.addAll(List.of(options));
            return this;
        }

        public Builder jar(Path jar) {
            program.add("-jar");
            program.add(jar.toString());
            return this;
        }

        public Builder main(String classPath, String mainClass) {
            program.add("-cp");
            program.add(classPath);
            program.add(mainClass);
            return this;
        }

        public Builder args(String... args) {
            program.addAll(List.of(args));
            return this;
        }

        public Builder environment(Map<String, String> variables) {
            environment.putAll(variables);
            return this;
        }

        /** The working directory; that of this JVM if not given. */
        public Builder folder(Path value) {
            folder = value;
            return this;
        }

        /** Told every line, on the thread that reads them. */
        public Builder listener(Consumer<String> value) {
            listener = value;
            return this;
        }

        public ServiceProcess start() {
            List<String> command = new ArrayList<>();
            command.add(jdk.java());
            command.addAll(jvm);
            command.addAll(program);
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().remove("JAVA_TOOL_OPTIONS");
            builder.environment().remove("LOCKFENCE_CONFIG");
            builder.environment().putAll(environment);
            if (folder != null) {
                builder.directory(folder.toFile());
            }
            try {
                return new ServiceProcess(name, builder.start(), listener);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public static Builder builder(String name) {
        return new Builder(name);
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    private void read(Consumer<String> listener) {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                synchronized (lines) {
                    lines.add(line);
                    lines.notifyAll();
                }
                listener.accept(line);
            }
        } catch (IOException e) {
            synchronized (lines) {
                lines.add("(output cut off: " + e + ")");
            }
        }
        synchronized (lines) {
            ended = true;
            lines.notifyAll();
        }
    }

    /** Writes a line to its standard input. */
    public void send(String line) {
        try {
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new AssertionError(name + " takes no more input. Its output:\n" + output(), e);
        }
    }

    /** Waits 30 s for a line that matches, from the line after the last one that was awaited. */
    public Matcher await(String regex) throws InterruptedException {
        return await(regex, Duration.ofSeconds(30));
    }

    /**
     * Waits for a line in which the expression is found, from the line after the last one that was awaited.
     *
     * @throws AssertionError with the whole output, if none comes in time or the service has ended
     */
    public Matcher await(String regex, Duration limit) throws InterruptedException {
        Pattern pattern = Pattern.compile(regex);
        long end = System.nanoTime() + limit.toNanos();
        synchronized (lines) {
            while (true) {
                while (seen < lines.size()) {
                    Matcher matcher = pattern.matcher(lines.get(seen++));
                    if (matcher.find()) {
                        return matcher;
                    }
                }
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (ended || left <= 0) {
                    throw new AssertionError(
                            name + (ended ? " ended" : " did not say so within " + limit.toMillis() + " ms") + ": /"
                                    + regex + "/. Its output:\n" + output());
                }
                lines.wait(left);
            }
        }
    }

    /** Whether a line so far, awaited or not, contains a match. */
    public boolean said(String regex) {
        return count(regex) > 0;
    }

    /** How many lines so far contain a match. */
    public long count(String regex) {
        Pattern pattern = Pattern.compile(regex);
        synchronized (lines) {
            return lines.stream().filter(line -> pattern.matcher(line).find()).count();
        }
    }

    /** All lines so far. */
    public List<String> lines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    /** All lines so far, as one text with the service's name in front of each. */
    public String output() {
        StringBuilder text = new StringBuilder();
        for (String line : lines()) {
            text.append("  ").append(name).append("| ").append(line).append('\n');
        }
        return text.toString();
    }

    /** SIGSTOP: all its threads stand still until {@link #resume}; its sockets stay open. */
    public void stop() {
        signal("-STOP");
    }

    /** SIGCONT. */
    public void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            Process kill = new ProcessBuilder("kill", signal, Long.toString(pid()))
                    .inheritIO()
                    .start();
            if (kill.waitFor() != 0) {
                throw new AssertionError("kill " + signal + " " + name + " failed. Its output:\n" + output());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Waits until it has ended by itself and its output has been read, and gives its exit code. */
    public int awaitExit(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        boolean exited = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        synchronized (lines) {
            while (exited && !ended) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    break;
                }
                lines.wait(left);
            }
            if (!ended) {
                throw new AssertionError(name + " goes on after " + limit.toMillis() + " ms. Its output:\n" + output());
            }
        }
        return process.exitValue();
    }

    /** Kills it, stopped or not. */
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().removeShutdownHook(closing);
    }
}
