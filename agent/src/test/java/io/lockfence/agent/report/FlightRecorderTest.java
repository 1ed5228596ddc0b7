/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.bootstrap.Lease;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightRecorderTest {
    private final Report report = new Report(new Log(null, StandardCharsets.UTF_8));

    @TempDir
    Path directory;

    @Test
    void recordsTheLifeOfALease() throws Exception {
        Lease lease = ReportTest.lease("order:42", 10_000_000_000L);
        Path file = directory.resolve("lockfence.jfr");
        tellAll(lease);
        try (Recording recording = new Recording()) {
            recording.enable("io.lockfence.*");
            recording.start();
            tellAll(lease);
            recording.stop();
            recording.dump(file);
        }
        tellAll(lease);

        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.lockfence."))
                .sorted((one, other) -> one.getStartTime().compareTo(other.getStartTime()))
                .toList();

        assertThat(events.stream().map(event -> event.getEventType().getName()))
                .containsExactly(
                        "io.lockfence.LeaseAcquired",
                        "io.lockfence.LeaseRenewed",
                        "io.lockfence.Claim",
                        "io.lockfence.Guard",
                        "io.lockfence.LeaseLost",
                        "io.lockfence.Refusal");
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("lock")).isEqualTo("order:42");
            assertThat(event.getString("resource")).isEqualTo("orders/order:42");
            assertThat(event.getLong("token")).isEqualTo(1729);
            assertThat(event.getString("leaseId")).isEqualTo(lease.leaseId());
            assertThat(event.getDuration("age")).isPositive();
        });
        assertThat(events.get(0).getString("library")).isEqualTo("redisson");
        assertThat(events.get(0).getDuration("timeLeft")).isPositive();
        assertThat(events.get(2).getString("outcome")).isEqualTo("CLAIMED");
        assertThat(events.get(2).getDuration("elapsed").toNanos()).isEqualTo(1000);
        assertThat(events.get(3).getString("moment")).isEqualTo("COMMIT");
        assertThat(events.get(4).getString("how")).isEqualTo("LOST");
        RecordedEvent refusal = events.get(5);
        assertThat(refusal.getString("kind")).isEqualTo("EXPIRED");
        assertThat(refusal.getString("reason")).isEqualTo("LOST");
        assertThat(refusal.getString("message")).startsWith("Lockfence refused this write to orders-db (LF002");
        assertThat(refusal.getStackTrace()).isNotNull();
        assertThat(events.subList(0, 5)).allMatch(event -> event.getStackTrace() == null);
    }

    private void tellAll(Lease lease) {
        report.leaseAcquired(lease, ReportTest.acquisition(lease));
        report.leaseRenewed(lease);
        report.claim(lease, "orders-db", ClaimOutcome.CLAIMED, 1000);
        report.guard(lease, "orders-db", GuardMoment.COMMIT, GuardOutcome.HELD, 1000);
        report.leaseDied(lease, Lease.Death.LOST, "the renewal found no hold");
        report.refusal(Refused.under(Reason.LOST, lease).of("write", "orders-db"));
    }
}
