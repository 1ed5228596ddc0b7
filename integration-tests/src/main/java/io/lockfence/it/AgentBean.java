/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The counters of the agent in another JVM, read as an operator reads them. */
public final class AgentBean implements AutoCloseable {
    private final JMXConnector connector;
    private final MBeanServerConnection server;
    private final ObjectName name;

    /** Connects to the JVM by its process id. */
    @SuppressWarnings("BanJNDI") // The address is one that the JVM itself, started by this test, gave us.
    public AgentBean(ServiceProcess service) throws IOException {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(service.pid()));
            try {
                connector = JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()));
            } finally {
                machine.detach();
            }
            server = connector.getMBeanServerConnection();
            name = new ObjectName("io.lockfence:type=Lockfence");
        } catch (AttachNotSupportedException | JMException e) {
            throw new IOException(e);
        }
    }

    /** A counter or gauge. */
    public long number(String attribute) throws IOException {
        return ((Number) attribute(attribute)).longValue();
    }

    /** The sum of counters by kind. */
    public long sum(String attribute) throws IOException {
        long sum = 0;
        for (Object row : ((TabularData) attribute(attribute)).values()) {
            sum += ((Number) ((CompositeData) row).get("value")).longValue();
        }
        return sum;
    }

    private Object attribute(String attribute) throws IOException {
        try {
            return server.getAttribute(name, attribute);
        } catch (JMException e) {
            throw new IOException(attribute + " of " + name, e);
        }
    }

    /** The summary in words. */
    public String summary() throws IOException {
        try {
            return (String) server.invoke(name, "summary", new Object[0], new String[0]);
        } catch (JMException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
