/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.server;

import com.example.http.Handler;
import com.example.http.Server;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;

/** A servlet in an embedded Tomcat, 9 and later. */
public final class TomcatServer implements Server {
    private final Tomcat tomcat = new Tomcat();
    private Path folder;

    @Override
    @SuppressWarnings("deprecation") // What takes the place of addServletMappingDecoded is not there in 9.
    public int start(Handler handler) throws IOException, ReflectiveOperationException, LifecycleException {
        // Several Tomcats in one JVM: what belongs to the JVM, one of them would take from the others.
        TomcatURLStreamHandlerFactory.disable();
        tomcat.getEngine().setName("Tomcat-" + UUID.randomUUID());
        folder = Files.createTempDirectory("tomcat");
        tomcat.setBaseDir(folder.toString());
        Connector connector = new Connector("HTTP/1.1");
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        tomcat.getService().addConnector(connector);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", folder.toString());
        Method addServlet = Servlets.taking(Tomcat.class, "addServlet", Context.class);
        addServlet.invoke(null, context, "handler", Servlets.of(addServlet.getParameterTypes()[2], handler));
        context.addServletMappingDecoded("/*", "handler");
        tomcat.start();
        return connector.getLocalPort();
    }

    @Override
    public void close() throws LifecycleException, IOException {
        tomcat.stop();
        tomcat.destroy();
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }
}
