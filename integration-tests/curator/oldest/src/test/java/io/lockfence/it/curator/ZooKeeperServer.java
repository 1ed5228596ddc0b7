/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.curator;

import io.lockfence.it.TcpProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;

/** A real ZooKeeper in this JVM on a free port of the loopback interface, behind a wire that can be cut; with data of its own. */
final class ZooKeeperServer implements AutoCloseable {
    private static final int TICK_MILLIS = 500;

    private final Path data;
    private ServerCnxnFactory server;
    private final TcpProxy wire;
    private int port;

    ZooKeeperServer() throws IOException, InterruptedException {
        data = Files.createTempDirectory("lockfence-zookeeper");
        start();
        wire = new TcpProxy(port);
    }

    String address() {
        return "127.0.0.1:" + wire.port();
    }

    void cut() {
        wire.cut();
    }

    void heal() {
        wire.heal();
    }

    private void start() throws IOException, InterruptedException {
        NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
        factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
        org.apache.zookeeper.server.ZooKeeperServer zooKeeper =
                new org.apache.zookeeper.server.ZooKeeperServer(data.toFile(), data.toFile(), TICK_MILLIS);
        factory.startup(zooKeeper);
        server = factory;
        port = factory.getLocalPort();
    }

    /** @param keepData whether it remembers what it knew */
    void restart(boolean keepData) throws IOException, InterruptedException {
        server.shutdown();
        if (!keepData) {
            delete(data);
            Files.createDirectories(data);
        }
        start();
    }

    @Override
    public void close() throws IOException {
        wire.close();
        server.shutdown();
        delete(data);
    }

    private static void delete(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
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
    }
}
