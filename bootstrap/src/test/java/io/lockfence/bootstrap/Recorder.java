/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;

/** The agent's side of the seams, for tests of bootstrap alone: remembers what it was told. */
final class Recorder implements LeaseEvents {
    /** Leases that a unit left, and where. */
    record LeftOver(List<Lease> leases, String place) {}

    final List<LeftOver> leftOvers = new CopyOnWriteArrayList<>();
    final List<LeaseContext> taskEnds = new CopyOnWriteArrayList<>();
    final List<Throwable> faults = new CopyOnWriteArrayList<>();

    static Recorder connect() {
        Recorder recorder = new Recorder();
        Seams.connect(recorder, new NoEffects(), recorder.faults::add);
        return recorder;
    }

    @Override
    public void leftOver(Lease[] leases, String place) {
        leftOvers.add(new LeftOver(new ArrayList<>(List.of(leases)), place));
    }

    @Override
    public void taskEnded(LeaseContext context) {
        taskEnds.add(context);
    }

    @Override
    public boolean watches(String library, String lock) {
        return false;
    }

    @Override
    public boolean asks(String library, String lock) {
        return false;
    }

    @Override
    public void unsupported(String library, String type, String lock) {}

    @Override
    public Lease acquired(Acquisition acquisition) {
        return null;
    }

    @Override
    public void renewed(String owner, long sentAt, long grantedNanos) {}

    @Override
    public void shortened(String owner, long sentAt, long grantedNanos) {}

    @Override
    public void lost(String owner, String why) {}

    @Override
    public boolean releasing(String owner) {
        return false;
    }

    private static final class NoEffects implements Effects {
        @Override
        public void opened(Session session, Object driver, String url, Properties info) {}

        @Override
        public boolean sending(Session session, String[] sql, boolean alone) {
            return false;
        }

        @Override
        public boolean sending(Session session, String sql, boolean alone) {
            return false;
        }

        @Override
        public void sent(Session session, Throwable thrown) {}

        @Override
        public void committing(Session session) {}

        @Override
        public void rolledBack(Session session) {}

        @Override
        public void abandoned(Session session) {}

        @Override
        public void closed(Session session) {}
    }
}
