/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A real ZooKeeper in this JVM, on a free port of the loopback interface, with data of its own. Not thread safe. */
public final class ZooKeeper implements AutoCloseable {
    /** Sessions of a second and more are granted as they are asked for. */
    private static final int TICK_MILLIS = 500;

    private static final int CONNECTIONS = 100;

    private final Path data;
    private ServerCnxnFactory server;
    private int port;

    private ZooKeeper() {
        try {
            data = Files.createTempDirectory("lockfence-zookeeper");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        launch();
    }

    public static ZooKeeper start() {
        return new ZooKeeper();
    }

    public int port() {
        return port;
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    /**
     * Stopped and started again at the same port.
     *
     * @param keepData whether it remembers its nodes and sessions
     */
    public void restart(boolean keepData) {
        server.shutdown();
        if (!keepData) {
            delete();
        }
        launch();
    }

    private void launch() {
        try {
            Files.createDirectories(data);
            NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
            factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECTIONS);
            factory.startup(new ZooKeeperServer(data.toFile(), data.toFile(), TICK_MILLIS));
            server = factory;
            port = factory.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("ZooKeeper did not start", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.shutdown();
        delete();
    }

    private void delete() {
        try {
            Files.walkFileTree(data, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                    Files.delete(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
