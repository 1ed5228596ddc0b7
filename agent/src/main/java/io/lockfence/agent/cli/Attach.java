/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.lockfence.agent.attach.Answer;
import io.lockfence.agent.attach.Channel;
import io.lockfence.agent.attach.Request;
import io.lockfence.agent.config.Mode;
import io.lockfence.agent.config.RulesException;
import io.lockfence.agent.config.RulesLoader;
import io.lockfence.agent.report.Version;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.SocketTimeoutException;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Brings Lockfence into a JVM that is running, or changes the rules or the mode of one where it is. */
@Command(
        name = "attach",
        description =
                "Brings Lockfence into a JVM that is running already, or changes rules or mode of one that has it; without options, "
                        + "says how things stand there. What is asked is done wholly or not at all.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Built.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:done, but not everything could be woven; or the rules have problems, and nothing has changed",
            "2:wrong usage, or it could not be done, and nothing has changed"
        })
final class Attach implements Callable<Integer> {
    /** Modes as the command line has them. */
    enum ModeWord {
        off,
        observe,
        shadow,
        enforce
    }

    @Parameters(paramLabel = "PID", description = "process id of the JVM, as jcmd lists it")
    private long pid;

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description = "the rules file; it is read here, so that the JVM need not be able to")
    private File rules;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description = "instead of the mode of the rules: ${COMPLETION-CANDIDATES}; no lock has a stronger one then")
    private ModeWord mode;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "how long to wait for the JVM (${DEFAULT-VALUE})")
    private int timeout;

    @Spec
    private CommandSpec spec;

    /** It could not be done; the message says why, for people. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        Failure(String message) {
            super(message);
        }
    }

    @Override
    public Integer call() {
        if (timeout < 1) {
            throw new ParameterException(spec.commandLine(), "--timeout must be 1 or more");
        }
        PrintWriter out = spec.commandLine().getOut();
        Request request;
        try {
            request = request();
        } catch (RulesException e) {
            e.lines().forEach(out::println);
            out.println("nothing has changed in the JVM");
            return Main.FINDINGS;
        }
        try {
            TargetJvm.mustBeAttachable(pid);
            Answer answer = ask(request);
            answer.lines().forEach(out::println);
            return switch (answer.outcome()) {
                case DONE -> 0;
                case WITH_FINDINGS -> Main.FINDINGS;
                case REFUSED -> Main.FAILURE;
            };
        } catch (Failure e) {
            spec.commandLine().getErr().println("lockfence: " + e.getMessage());
            return Main.FAILURE;
        } finally {
            out.flush();
        }
    }

    private Request request() throws RulesException {
        Mode asked = mode == null ? null : Mode.valueOf(mode.name().toUpperCase(Locale.ROOT));
        if (rules == null) {
            return new Request(null, null, asked);
        }
        String text = RulesLoader.textOf(rules);
        RulesLoader.parse(text, rules.getPath());
        return new Request(text, rules.getAbsolutePath(), asked);
    }

    private Answer ask(Request request) throws Failure {
        try (Channel channel = Channel.listen()) {
            load(channel.address());
            try (Channel.Agent agent = channel.accept(millis())) {
                if (!agent.version().equals(Version.current())) {
                    throw new Failure("the JVM has Lockfence " + agent.version() + ", and this is " + Version.current()
                            + ": use the lockfence.jar of that version, or restart the JVM with this one");
                }
                return agent.ask(request, millis());
            }
        } catch (SocketTimeoutException e) {
            throw new Failure("the JVM has not answered within " + timeout
                    + " s; it may yet do what was asked: its log says so, and 'attach " + pid + "' asks again");
        } catch (IOException e) {
            throw new Failure("the connection to the JVM broke off (" + e.getMessage() + "); 'attach " + pid
                    + "' asks how things stand there");
        }
    }

    private int millis() {
        return (int) TimeUnit.SECONDS.toMillis(timeout);
    }

    /** On a thread of its own: whether the JVM answers is up to it, and the attach mechanism knows no time-out. */
    private void load(String address) throws Failure {
        CompletableFuture<Void> loaded = new CompletableFuture<>();
        Thread loading = new Thread(
                () -> {
                    try {
                        loadNow(address);
                        loaded.complete(null);
                    } catch (Throwable t) {
                        loaded.completeExceptionally(t);
                    }
                },
                "attach");
        loading.setDaemon(true);
        loading.start();
        try {
            loaded.get(timeout, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new Failure("process " + pid + " does not answer; is it stopped, or very busy?");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Failure failure ? failure : failure(e.getCause());
        }
    }

    private void loadNow(String address)
            throws Failure, IOException, AttachNotSupportedException, AgentLoadException, AgentInitializationException {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
        try {
            mustBeNewEnough(machine.getSystemProperties());
            machine.loadAgent(TargetJvm.ownJar(), address);
        } finally {
            machine.detach();
        }
    }

    private void mustBeNewEnough(Properties properties) throws Failure {
        String version = properties.getProperty("java.specification.version", "unknown");
        try {
            if (Double.parseDouble(version) >= 17) {
                return;
            }
        } catch (NumberFormatException e) {
            // Then it is none that we know.
        }
        throw new Failure("process " + pid + " runs Java " + version + "; Lockfence needs 17 or newer");
    }

    private Failure failure(Throwable cause) {
        String said = String.valueOf(cause.getMessage());
        if (cause instanceof NoClassDefFoundError) {
            return new Failure(
                    "this Java has no module jdk.attach: run the command with a JDK, or with a runtime that has it");
        }
        if (said.contains("Dynamic agent loading is not enabled") || said.contains("EnableDynamicAgentLoading")) {
            return new Failure(
                    "process " + pid
                            + " was started with -XX:-EnableDynamicAgentLoading: start it with -javaagent:lockfence.jar instead");
        }
        if (cause instanceof AgentLoadException) {
            return new Failure("process " + pid + " could not load " + TargetJvm.ownJar()
                    + ": it must be there at the same path, and its user must be able to read it (" + said + ")");
        }
        if (cause instanceof AgentInitializationException) {
            return new Failure("process " + pid
                    + " has a Lockfence that this one cannot speak to, or it failed to start; its standard error says more ("
                    + said
                    + ")");
        }
        if (cause instanceof AttachNotSupportedException || cause instanceof IOException) {
            return new Failure("process " + pid
                    + " does not let itself be attached to: it was started with -XX:+DisableAttachMechanism, is stopped, or is no JVM of this kind ("
                    + said + ")");
        }
        return new Failure(cause.toString());
    }
}
