/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import io.lockfence.agent.fence.Dialect;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.jar.JarFile;

/** The service's JDBC driver, in a loader of its own: neither this jar nor its loader has one. */
final class ServiceDriver implements AutoCloseable {
    private final URLClassLoader loader;
    private final Driver driver;

    private ServiceDriver(URLClassLoader loader, Driver driver) {
        this.loader = loader;
        this.driver = driver;
    }

    /** Why there is no driver, for the user. */
    static final class Unusable extends Exception {
        private static final long serialVersionUID = 1;

        Unusable(String message) {
            super(message);
        }
    }

    /**
     * Loads the driver of a database.
     *
     * @param jars the driver's jar, and what it needs
     * @param url of the database, which decides between several drivers
     * @throws Unusable if there is none that accepts the URL
     */
    static ServiceDriver load(List<File> jars, String url) throws Unusable {
        List<URL> urls = new ArrayList<>();
        for (File jar : jars) {
            if (!jar.isFile()) {
                throw new Unusable("the driver " + jar + " is not there: expected the path of a jar, looked for "
                        + jar.getAbsolutePath());
            }
            refuseServices(jar);
            try {
                urls.add(jar.toURI().toURL());
            } catch (IOException e) {
                throw new Unusable("the driver " + jar + " cannot be read: " + e.getMessage());
            }
        }
        URLClassLoader loader =
                new URLClassLoader("driver", urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        try {
            for (Driver driver : ServiceLoader.load(Driver.class, loader)) {
                if (driver.acceptsURL(url)) {
                    return new ServiceDriver(loader, driver);
                }
            }
            throw new Unusable("no JDBC driver for such URLs in " + jars
                    + ": expected the PostgreSQL driver, such as postgresql-42.7.14.jar");
        } catch (SQLException | ServiceConfigurationError | LinkageError e) {
            throw new Unusable("the driver in " + jars + " cannot be loaded: " + e);
        }
    }

    /** A Spring Boot jar holds its driver as a jar within. */
    private static void refuseServices(File jar) throws Unusable {
        try (JarFile file = new JarFile(jar, false)) {
            if (file.getEntry("BOOT-INF/lib/") != null) {
                throw new Unusable(jar + " is a service: take its driver out, unzip -j " + jar
                        + " 'BOOT-INF/lib/postgresql-*.jar', and name that one");
            }
        } catch (IOException e) {
            throw new Unusable("the driver " + jar + " is not a jar: " + e.getMessage());
        }
    }

    /** A connection as the agent opens those for its claims. */
    Connection connect(Dialect dialect, String url, String user, String password) throws SQLException {
        Properties info = new Properties();
        if (user != null) {
            info.setProperty("user", user);
        }
        if (password != null) {
            info.setProperty("password", password);
        }
        Connection connection = driver.connect(dialect.claimUrl(url), info);
        if (connection == null) {
            throw new SQLException("the driver does not accept the URL");
        }
        return connection;
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
