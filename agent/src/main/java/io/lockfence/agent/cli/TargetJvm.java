/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Whether a process can be attached to, as far as it can be told without touching it. To attach sends it a SIGQUIT, which ends any process that does not
 * know it.
 */
final class TargetJvm {
    /** Bit of SIGQUIT in the masks of {@code /proc/PID/status}. */
    private static final long SIGQUIT = 1L << 2;

    private TargetJvm() {}

    static void mustBeAttachable(long pid) throws Attach.Failure {
        ProcessHandle process = ProcessHandle.of(pid).orElse(null);
        if (process == null || !process.isAlive()) {
            throw new Attach.Failure("there is no process " + pid);
        }
        if (pid == ProcessHandle.current().pid()) {
            throw new Attach.Failure("process " + pid + " is this command itself");
        }
        Path proc = Path.of("/proc", Long.toString(pid));
        if (!Files.isDirectory(proc)) {
            // Not Linux: the JDK says what it can.
            return;
        }
        List<String> maps;
        List<String> status;
        try {
            status = Files.readAllLines(proc.resolve("status"));
            maps = Files.readAllLines(proc.resolve("maps"));
        } catch (IOException e) {
            throw new Attach.Failure("process " + pid + " belongs to "
                    + process.info().user().orElse("another user") + ": run this as that user, or as root");
        }
        if (maps.stream().noneMatch(line -> line.endsWith("/libjvm.so"))) {
            throw new Attach.Failure("process " + pid + " is not a JVM"
                    + process.info()
                            .command()
                            .map(command -> ", but " + command)
                            .orElse(""));
        }
        mustBeHere(pid, proc);
        boolean catches = status.stream()
                .filter(line -> line.startsWith("SigCgt:"))
                .allMatch(line -> (Long.parseUnsignedLong(
                                        line.substring("SigCgt:".length()).strip(), 16)
                                & SIGQUIT)
                        != 0);
        if (!catches) {
            throw new Attach.Failure("process " + pid
                    + " does not listen to whoever wants to attach: it was started with -Xrs, or has only just begun");
        }
    }

    /** It must find this command's jar, and reach its port. */
    private static void mustBeHere(long pid, Path proc) throws Attach.Failure {
        for (String namespace : List.of("mnt", "net")) {
            try {
                Path theirs = Files.readSymbolicLink(proc.resolve("ns").resolve(namespace));
                if (!theirs.equals(Files.readSymbolicLink(Path.of("/proc/self/ns", namespace)))) {
                    throw new Attach.Failure(
                            "process " + pid
                                    + " is in a container: run this command inside of it, with the lockfence.jar that is there");
                }
            } catch (IOException e) {
                // A kernel without namespaces, or without the right to look at them.
            }
        }
    }

    /** The jar that this command was started from, which is all of its class path. */
    static String ownJar() {
        return new File(System.getProperty("java.class.path", "")).getAbsolutePath();
    }
}
