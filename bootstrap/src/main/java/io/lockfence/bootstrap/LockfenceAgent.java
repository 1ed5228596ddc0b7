/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/**
 * The entry of the jar, for {@code -javaagent}, for a JVM that runs already, and for the command line.
 *
 * <p>This class exists twice: the JVM loads it in the system loader, then appends its jar to the boot path. So it keeps no state and,
 * after the append, goes on through {@link Launcher} of the boot loader alone.
 */
public final class LockfenceAgent {
    private static final String CLI = "io.lockfence.agent.cli.Main";
    private static final String AGENT = "io.lockfence.agent.Agent";

    private LockfenceAgent() {}

    /** Called by the JVM before the service's main. Whatever happens here, the service starts. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        try {
            File jar = ownJar();
            instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar, false));
            boot().getMethod("launch", String.class, File.class, Object[].class)
                    .invoke(null, AGENT, jar, new Object[] {arguments, instrumentation});
        } catch (Throwable t) {
            complain(t);
        }
    }

    /**
     * Called by the JVM when the command line attaches to it, any number of times. Whatever happens here, the service goes on. The answer goes
     * to the command line: {@code io.lockfence.agent.Attachment}.
     */
    public static synchronized void agentmain(String arguments, Instrumentation instrumentation) {
        try {
            File jar = ownJar();
            if (!isBooted()) {
                instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar, false));
            }
            boot().getMethod("attach", String.class, File.class, Object[].class)
                    .invoke(null, AGENT, jar, new Object[] {arguments, instrumentation});
        } catch (Throwable t) {
            complain(t);
        }
    }

    /** The command line. */
    public static void main(String[] arguments) throws Throwable {
        try {
            Launcher.launch(CLI, ownJar(), new Object[] {arguments});
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static boolean isBooted() {
        try {
            boot();
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static Class<?> boot() throws ClassNotFoundException {
        return Class.forName("io.lockfence.bootstrap.Launcher", true, null);
    }

    private static File ownJar() throws Exception {
        File jar = new File(LockfenceAgent.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        if (!jar.isFile()) {
            throw new IllegalStateException(jar + " is not a jar; use lockfence.jar as it was built");
        }
        try (JarFile file = new JarFile(jar, false)) {
            // Somebody who unpacked the agent into a jar of the service would put all of that on the boot path.
            Attributes manifest = file.getManifest().getMainAttributes();
            if (!LockfenceAgent.class.getName().equals(manifest.getValue("Premain-Class"))) {
                throw new IllegalStateException(
                        jar + " holds Lockfence but is not lockfence.jar; use the jar as it was built");
            }
        }
        return jar;
    }

    private static void complain(Throwable thrown) {
        Throwable cause = thrown instanceof InvocationTargetException e && e.getCause() != null ? e.getCause() : thrown;
        System.err.println("lockfence: could not start, nothing is fenced: " + cause);
        cause.printStackTrace();
    }
}
