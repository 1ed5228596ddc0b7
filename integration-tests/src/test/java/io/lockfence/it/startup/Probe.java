/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.startup;

import java.lang.management.ManagementFactory;
import java.util.Map;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;

/** A service of one class, run in a JVM of its own with no class path but its own. It tells what it can see of the agent. */
public final class Probe {
    private Probe() {}

    /** @param commands what to do, in this order */
    public static void main(String[] commands) throws Exception {
        System.out.println("main begins");
        for (String command : commands) {
            String argument = command.substring(command.indexOf('=') + 1);
            switch (command.split("=", 2)[0]) {
                case "look" -> look(argument);
                case "resource" ->
                    System.out.println(
                            argument + " is " + (ClassLoader.getSystemResource(argument) == null ? "absent" : "there"));
                case "threads" -> threads();
                case "read" -> System.out.println("read " + System.in.read());
                case "jmx" -> jmx();
                case "settle" -> settle();
                case "exit" -> System.exit(0);
                default -> throw new IllegalArgumentException(command);
            }
        }
        System.out.println("main ends");
    }

    private static void look(String name) {
        for (ClassLoader loader :
                new ClassLoader[] {ClassLoader.getSystemClassLoader(), ClassLoader.getPlatformClassLoader(), null}) {
            String result;
            try {
                result = "visible from " + Class.forName(name, false, loader).getClassLoader();
            } catch (ClassNotFoundException | LinkageError absent) {
                result = "invisible";
            }
            System.out.println(name + " is " + result);
        }
    }

    /** Waits until what the agent does in the background after the start is done. */
    private static void settle() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("lockfence-")) {
                thread.join();
            }
        }
    }

    /** Threads that know the service's class loader, by name. */
    private static void threads() {
        for (Map.Entry<Thread, StackTraceElement[]> entry :
                Thread.getAllStackTraces().entrySet()) {
            Thread thread = entry.getKey();
            System.out.println("thread " + thread.getName() + ", daemon " + thread.isDaemon() + ", context loader "
                    + thread.getContextClassLoader());
        }
    }

    private static void jmx() throws Exception {
        JMXConnectorServer server = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi://127.0.0.1"), null, ManagementFactory.getPlatformMBeanServer());
        server.start();
        System.out.println("jmx " + server.getAddress());
    }
}
