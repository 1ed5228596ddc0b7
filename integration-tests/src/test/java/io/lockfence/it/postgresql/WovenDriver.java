/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;

/** A woven copy of the driver and the agent's side of the seam, connected for the time of one test. */
final class WovenDriver implements AutoCloseable {
    /** What was reported as a fault of ours. */
    final List<Throwable> faults = Collections.synchronizedList(new ArrayList<>());

    private final Drivers.Copy copy;
    private final boolean active;

    private WovenDriver(String version, Effects effects, boolean active) {
        this.copy = Drivers.woven(version);
        this.active = active;
        Seams.connect(null, effects, faults::add);
        if (active) {
            LeaseContext.activate();
        }
    }

    /** As in a JVM where some lease is alive: everything is told to the agent. */
    static WovenDriver active(String version, Effects effects) {
        return new WovenDriver(version, effects, true);
    }

    /** As in a JVM where no lease is alive. */
    static WovenDriver idle(String version, Effects effects) {
        return new WovenDriver(version, effects, false);
    }

    Drivers.Copy copy() {
        return copy;
    }

    Connection connect(String url, String... options) throws SQLException {
        return connect(copy, url, options);
    }

    static Connection connect(Drivers.Copy copy, String url, String... options) throws SQLException {
        Properties info = new Properties();
        info.setProperty("user", "postgres");
        for (String option : options) {
            info.setProperty(option.substring(0, option.indexOf('=')), option.substring(option.indexOf('=') + 1));
        }
        return copy.driver().connect(url, info);
    }

    @Override
    public void close() throws IOException {
        if (active) {
            LeaseContext.deactivate();
        }
        Seams.connect(null, null, Throwable::printStackTrace);
        copy.close();
    }
}
