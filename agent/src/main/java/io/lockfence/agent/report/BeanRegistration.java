/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Registers the bean, on a thread of its own that ends with it.
 *
 * <p>It begins with the first lease, refusal or fault, not in premain: the platform's MBean server starts logging and reads
 * {@code javax.management.builder.initial}, and services set both up in their {@code main} (JBoss's log manager, for one). A service
 * whose locks are never taken has no bean.
 */
final class BeanRegistration {
    static final String NAME = "io.lockfence:type=Lockfence";

    private BeanRegistration() {}

    static void begin(Report report) {
        // A runtime made by jlink may have no JMX.
        if (ModuleLayer.boot().findModule("java.management").isEmpty()) {
            return;
        }
        Thread thread = new Thread(null, () -> register(report), "lockfence-jmx", 0, false);
        thread.setDaemon(true);
        // A builder that the service names is looked for through the context loader, as if the service itself had asked
        // first.
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        thread.start();
    }

    private static void register(Report report) {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName name = new ObjectName(NAME);
            if (!server.isRegistered(name)) {
                server.registerMBean(new LockfenceBean(report), name);
            }
        } catch (JMException | RuntimeException | LinkageError unusable) {
            report.log().line("there is no JMX bean: " + unusable);
        }
    }
}
