/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.bootstrap.LeaseContext;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Embedded Tomcat with a small pool, or with virtual threads, whose servlets leave a lease on their thread. */
public final class TomcatUnits {
    private static final int CLIENTS = 8;
    private static final int REQUESTS = 10_000;

    private final Books books;
    private final Map<String, AtomicInteger> seen = new ConcurrentHashMap<>();
    private String address;

    private TomcatUnits(Books books) {
        this.books = books;
    }

    public static void main(String[] arguments) throws Exception {
        Books books = Books.open();
        new TomcatUnits(books).all(arguments[0].equals("virtual"));
        Rows.row("no faults", books::close);
        System.out.println("end");
        System.exit(0);
    }

    /** Leaves a lease, as a run-once marker does; "?fail" throws on top. */
    @SuppressWarnings("serial")
    private final class Leaving extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print(note(request));
            books.leave();
            if (request.getParameter("fail") != null) {
                throw new IllegalStateException("on purpose");
            }
        }
    }

    /** Leaves a lease before and after it goes asynchronous. */
    @SuppressWarnings("serial")
    private final class Dispatching extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String said = note(request);
            books.leave();
            if (request.getAttribute("dispatched") == null) {
                request.setAttribute("dispatched", said);
                AsyncContext context = request.startAsync();
                context.start(context::dispatch);
            } else {
                response.getWriter().print(said + request.getAttribute("dispatched"));
            }
        }
    }

    private String note(HttpServletRequest request) {
        int leases = LeaseContext.current().length;
        seen.computeIfAbsent(request.getRequestURI() + " began with " + leases, key -> new AtomicInteger())
                .incrementAndGet();
        return Integer.toString(leases);
    }

    private void all(boolean virtual) throws Exception {
        Path base = Files.createTempDirectory("lockfence-tomcat");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
        connector.setProperty("maxThreads", "4");
        connector.setProperty("minSpareThreads", "4");
        if (virtual) {
            connector.getProtocolHandler().setExecutor(virtualThreads());
        }
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", base.toString());
        Tomcat.addServlet(context, "leave", new Leaving());
        context.addServletMappingDecoded("/leave", "leave");
        Tomcat.addServlet(context, "dispatch", new Dispatching()).setAsyncSupported(true);
        context.addServletMappingDecoded("/dispatch", "dispatch");
        tomcat.start();
        address = "http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + connector.getLocalPort();
        try {
            Rows.row("ten thousand requests that leave a lease", () -> requests("/leave", REQUESTS, 1));
            Rows.row("requests that fail and leave a lease", () -> requests("/leave?fail", 200, 1));
            Rows.row("requests that are dispatched and leave two", () -> requests("/dispatch", 200, 2));
            Rows.row(
                    "nothing is left on any thread",
                    () -> Books.await("threads have leases", () -> LeaseContext.threads() == 0));
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
    }

    private void requests(String path, int count, int leavesEach) throws Exception {
        seen.clear();
        int before = books.leftOvers();
        HttpClient client = HttpClient.newHttpClient();
        List<Thread> clients = new ArrayList<>();
        AtomicInteger left = new AtomicInteger(count);
        Set<String> bodies = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < CLIENTS; i++) {
            Thread thread = new Thread(() -> {
                while (left.getAndDecrement() > 0) {
                    bodies.add(get(client, path));
                }
            });
            clients.add(thread);
            thread.start();
        }
        for (Thread thread : clients) {
            thread.join();
        }
        Rows.check(
                seen.keySet().stream().allMatch(line -> line.endsWith(" began with 0")), "units with leases: " + seen);
        int total = seen.values().stream().mapToInt(AtomicInteger::get).sum();
        // The client repeats a GET by itself where a connection that it kept was closed under it.
        Rows.check(total >= count * leavesEach, "units: " + seen + ", bodies: " + bodies);
        Books.await("reported " + (books.leftOvers() - before), () -> books.leftOvers() - before == total);
        String place = "request GET " + path.replaceFirst("\\?.*", "");
        Rows.check(books.places().contains(place), "reported at " + books.places());
    }

    private String get(HttpClient client, String path) {
        try {
            return client.send(
                            HttpRequest.newBuilder(URI.create(address + path)).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException | InterruptedException e) {
            return e.toString();
        }
    }

    /** Tomcat's own, as Spring Boot sets it for {@code spring.threads.virtual.enabled}. */
    private static Executor virtualThreads() throws ReflectiveOperationException {
        return (Executor) Class.forName("org.apache.tomcat.util.threads.VirtualThreadExecutor")
                .getConstructor(String.class)
                .newInstance("tomcat-");
    }
}
