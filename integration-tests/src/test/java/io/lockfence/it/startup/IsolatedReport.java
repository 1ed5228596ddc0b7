/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.startup;

import java.io.File;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.jar.JarFile;
import javax.management.ObjectName;
import jdk.jfr.Recording;

/** Runs the report of lockfence.jar in its isolated loader, by reflection alone: the JVM has the jar on its boot path and nowhere else. */
public final class IsolatedReport {
    private IsolatedReport() {}

    /** @param arguments the agent jar, and the file to record to */
    public static void main(String[] arguments) throws Exception {
        Constructor<?> constructor = Class.forName("io.lockfence.bootstrap.IsolatedLoader", true, null)
                .getDeclaredConstructor(JarFile.class);
        constructor.setAccessible(true);
        ClassLoader isolated = (ClassLoader) constructor.newInstance(new JarFile(new File(arguments[0]), false));
        Class<?> logType = isolated.loadClass("io.lockfence.agent.report.Log");
        Object log = logType.getConstructor(OutputStream.class, Charset.class)
                .newInstance(System.out, StandardCharsets.UTF_8);
        Class<?> type = isolated.loadClass("io.lockfence.agent.report.Report");
        Object report = type.getConstructor(logType).newInstance(log);
        type.getMethod("started", String.class, String.class, int.class, int.class)
                .invoke(report, "enforce", "lockfence.yaml", 2, 1);

        Class<?> deadlineType = Class.forName("io.lockfence.bootstrap.Deadline");
        Object deadline =
                deadlineType.getConstructor(long.class, long.class).newInstance(System.nanoTime(), 10_000_000_000L);
        Class<?> leaseType = Class.forName("io.lockfence.bootstrap.Lease");
        Object lease = leaseType.getConstructors()[0].newInstance(
                "order:42", "orders/42", "7f3c9a12", "owner", 0, 1729L, deadline);
        Object acquisition = Class.forName("io.lockfence.bootstrap.Acquisition")
                .getConstructors()[0]
                .newInstance("redisson", "order:42", "owner", null, true, null, null, true, null);
        Method acquired = method(type, "leaseAcquired");

        // Once before a recording runs, so that the event class is loaded first, and once in it.
        acquired.invoke(report, lease, acquisition);
        try (Recording recording = new Recording()) {
            recording.enable("io.lockfence.*");
            recording.start();
            acquired.invoke(report, lease, acquisition);
            Class<?> refusedType = isolated.loadClass("io.lockfence.agent.report.Refused");
            Object refused = refusedType.getMethod("unleased", String.class).invoke(null, "orders-db");
            method(type, "refusal").invoke(report, refused);
            recording.stop();
            recording.dump(Path.of(arguments[1]));
        }
        ObjectName name = new ObjectName("io.lockfence:type=Lockfence");
        long end = System.nanoTime() + 20_000_000_000L;
        while (!ManagementFactory.getPlatformMBeanServer().isRegistered(name)) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("no bean");
            }
            Thread.onSpinWait();
        }
        Probe.main(new String[] {"jmx", "read", "exit"});
    }

    private static Method method(Class<?> type, String name) {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name)) {
                return method;
            }
        }
        throw new AssertionError(name);
    }
}
