/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Who this JVM is, as the fence tells others. */
public final class Holder {
    private Holder() {}

    /** Host, process id and name of the current thread, at most 200 characters; no name resolution, which may block. */
    public static String describe() {
        return Words.clean(Process.PREFIX + Thread.currentThread().getName(), 197);
    }

    /** The name of this host as it knows itself; {@code unknown-host} if it does not. */
    static String host(String hostname, String computerName, String file) {
        for (String name : new String[] {hostname, computerName, firstLine(file)}) {
            if (name != null && !name.isBlank()) {
                return name.strip();
            }
        }
        return "unknown-host";
    }

    private static String firstLine(String file) {
        try (BufferedReader reader = new BufferedReader(new FileReader(file, StandardCharsets.UTF_8))) {
            return reader.readLine();
        } catch (IOException absent) {
            return null;
        }
    }

    private static final class Process {
        static final String PREFIX = host(System.getenv("HOSTNAME"), System.getenv("COMPUTERNAME"), "/etc/hostname")
                + " pid "
                + ProcessHandle.current().pid()
                + " thread ";
    }
}
