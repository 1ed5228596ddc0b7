/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.instrumentation.Library;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final long SECOND = 1_000_000_000L;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Report report = new Report(new Log(out, StandardCharsets.UTF_8));

    @Test
    void countsExactlyUnderManyThreads() throws Exception {
        Lease lease = lease("order:42", 60 * SECOND);
        int threads = 8;
        int rounds = 2_000;
        CountDownLatch begin = new CountDownLatch(1);
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Thread(() -> {
                try {
                    begin.await();
                } catch (InterruptedException e) {
                    return;
                }
                for (int round = 0; round < rounds; round++) {
                    report.leaseAcquired(lease, acquisition(lease));
                    report.claim(lease, "orders-db", ClaimOutcome.CLAIMED, 1000);
                    report.guard(lease, "orders-db", GuardMoment.COMMIT, GuardOutcome.HELD, 1000);
                    report.refusal(Refused.under(Reason.SUPERSEDED, lease));
                    report.refusal(Refused.under(Reason.DEADLINE, lease).inShadow());
                    report.unleased("write", "orders-db");
                    report.fault(new IllegalStateException("same place"));
                    report.leaseReleased(lease);
                }
            });
            workers[i].start();
        }
        begin.countDown();
        for (Thread worker : workers) {
            worker.join();
        }

        long all = (long) threads * rounds;
        Counters counters = report.counters();
        assertThat(counters.acquired()).isEqualTo(all);
        assertThat(counters.released()).isEqualTo(all);
        assertThat(counters.claims()).isEqualTo(Map.of(ClaimOutcome.CLAIMED, all));
        assertThat(counters.guards()).isEqualTo(Map.of(GuardOutcome.HELD, all));
        assertThat(counters.refused()).isEqualTo(Map.of(Refusal.STALE, all));
        assertThat(counters.wouldHaveRefused()).isEqualTo(Map.of(Refusal.EXPIRED, all));
        assertThat(counters.unleased()).isEqualTo(all);
        assertThat(counters.faults()).isEqualTo(all);
        // The storm took seconds at most, so a few windows: far less than one line for each.
        assertThat(lines()).hasSizeBetween(22, 300);
        assertThat(lines().stream().filter(line -> line.contains("a fault of Lockfence itself")))
                .hasSize(1);
    }

    @Test
    void aRefusalIsOneLineWithItsWholeMessageAndThread() {
        Refused refused =
                Refused.under(Reason.SUPERSEDED, lease("order:42", SECOND)).of("commit", "orders-db");

        report.refusal(refused);

        assertThat(lines())
                .containsExactly("lockfence: " + refused.message() + " [thread "
                        + Thread.currentThread().getName() + "]");
    }

    @Test
    void aStormOfRefusalsIsBoundedForEachResource() {
        Lease first = lease("order:1", SECOND);
        Lease second = lease("order:2", SECOND);

        for (int i = 0; i < 1000; i++) {
            report.refusal(Refused.under(Reason.SUPERSEDED, first));
        }
        report.refusal(Refused.under(Reason.SUPERSEDED, second));

        assertThat(lines().stream().filter(line -> line.contains("'orders/order:1'")))
                .hasSize(10);
        assertThat(lines().stream().filter(line -> line.contains("'orders/order:2'")))
                .hasSize(1);
        assertThat(report.counters().refused()).isEqualTo(Map.of(Refusal.STALE, 1001L));
    }

    @Test
    void aBrokenLogDoesNotReachTheService() {
        Report broken = new Report(new Log(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("disk full");
                    }
                },
                StandardCharsets.UTF_8));

        broken.refusal(Refused.unleased("orders-db"));
        broken.fault(new IllegalStateException());

        assertThat(broken.counters().refused()).isEqualTo(Map.of(Refusal.UNLEASED, 1L));
    }

    @Test
    void aFaultOfTheReportItselfIsCountedAndNotThrown() {
        report.leaseAcquired(lease("order:42", SECOND), null);
        report.fault(new IllegalStateException() {
            @Override
            public String toString() {
                throw new IllegalArgumentException("toString");
            }
        });

        assertThat(report.counters().acquired()).isEqualTo(1);
        assertThat(report.counters().faults()).isEqualTo(2);
    }

    @Test
    void aHolderThatOverranItsLeaseIsNamed() throws Exception {
        Lease lease = lease("order:42", 30_000_000L);
        report.leaseAcquired(lease, acquisition(lease));
        while (!lease.deadline().passed()) {
            Thread.onSpinWait();
        }

        report.leaseReleased(lease);

        assertThat(report.counters().overran()).isEqualTo(1);
        assertThat(lines())
                .singleElement()
                .asString()
                .matches(
                        "lockfence: lock 'order:42' was held \\d+(\\.\\d)? ms with a lease of \\d+(\\.\\d)? ms: another holder may have had"
                                + " it for the last \\d+(\\.\\d)? ms");
    }

    @Test
    void aLibraryIsReportedWhenItIsSeenAndWhenItsLevelChanges() {
        report.library("redisson", "4.7.0", Library.Level.FULL, null);
        report.library("redisson", "4.7.0", Library.Level.FULL, null);
        report.library("redisson", "4.7.0", Library.Level.PROBING, "renewExpirationAsync");
        report.library("postgresql", null, Library.Level.INACTIVE, null);

        assertThat(lines())
                .containsExactly(
                        "lockfence: redisson 4.7.0: active, full",
                        "lockfence: redisson 4.7.0: active; renewals are not seen, so the coordinator is asked when time runs short"
                                + " (renewExpirationAsync)",
                        "lockfence: postgresql: INACTIVE, its classes are not of a shape that we know: writes under its locks cannot be"
                                + " fenced");
        assertThat(report.libraries()).containsOnlyKeys("redisson 4.7.0", "postgresql");
    }

    @Test
    void whatIsNoticedOfALibraryLaterIsSaidOnceAndKept() {
        report.library("redisson", null, Library.Level.FULL, null);
        report.degraded("redisson", "renewals are not seen");
        report.degraded("redisson", "renewals are not seen");
        report.degraded("curator", "no session");

        assertThat(lines())
                .containsExactly(
                        "lockfence: redisson: active, full",
                        "lockfence: redisson: renewals are not seen",
                        "lockfence: curator: no session");
        assertThat(report.libraries())
                .isEqualTo(Map.of("redisson", "active, full; renewals are not seen", "curator", "no session"));
    }

    @Test
    void warnsOnceOfALockThatIsUnlockedBeforeTheCommit() {
        report.releasedBeforeCommit(lease("order:1", SECOND), "orders-db");
        report.releasedBeforeCommit(lease("order:2", SECOND), "orders-db");

        assertThat(report.counters().releasedBeforeCommit()).isEqualTo(2);
        assertThat(lines())
                .containsExactly("lockfence: lock 'order:1' was unlocked before the transaction on orders-db was"
                        + " committed: without a fence the next holder reads old data; unlock after the commit");
    }

    @Test
    void anEmptySummarySaysSo() {
        assertThat(report.summary()).hasSize(2).last().isEqualTo("  locks        none was taken that the rules name");
    }

    @Test
    void theSummaryOfABusyServiceIsShortAndComplete() {
        for (int kind = 0; kind < 40; kind++) {
            String name = "kind" + (char) ('a' + kind % 26) + (char) ('a' + kind / 26) + ":" + kind;
            Lease lease = lease(name, 10 * SECOND);
            report.leaseAcquired(lease, acquisition(lease));
            report.leaseReleased(lease);
        }
        Lease slow = lease("order:42", -2 * SECOND);
        report.leaseAcquired(slow, acquisition(slow));
        report.leaseDied(slow, Lease.Death.EXPIRED, "its deadline has passed");
        report.leaseReleased(slow);
        report.leaseRenewed(slow);
        report.releasedBeforeCommit(slow, "orders-db");
        report.leftOver(new Lease[] {slow}, "a request of GET /stock");
        report.claim(slow, "orders-db", ClaimOutcome.FAILED, 12_000_000);
        report.guard(slow, "orders-db", GuardMoment.RELEASE, GuardOutcome.REFUSED, 1000);
        report.refusal(Refused.under(Reason.SUPERSEDED, slow));
        report.refusal(Refused.under(Reason.TOKEN_TWICE, slow).inShadow());
        report.unleased("write", "orders-db");
        report.unsupportedLock("redisson", "RedissonMultiLock", "both");
        report.fault(new IllegalStateException());

        List<String> summary = report.summary();

        assertThat(summary).hasSizeLessThanOrEqualTo(25).allMatch(line -> line.length() <= 130);
        assertThat(summary.subList(1, summary.size()))
                .contains(
                        "  leases       41 begun, 41 unlocked, 1 renewal; died before the unlock: 1 expired",
                        "  too early    1 unlocked before the commit; the first: 'order:42', orders-db",
                        "  left over    1 not unlocked by the end of a task or request; the first: 'order:42' by a request of"
                                + " GET /stock",
                        "  claims       1, 12 ms on average, 12 ms at most; 1 failed",
                        "  guards       0 at commit, 1 before an unlock, 0 within a transaction; 1 refused",
                        "  refused      1 stale (LF001)",
                        "  would refuse 1 duplicate token (LF005)",
                        "  no lock      1 write to protected targets under no lock",
                        "  unsupported  1 lock of types that are not fenced",
                        "  faults       1 of Lockfence itself, please report them",
                        "  and 33 more kinds of lock")
                .anyMatch(line ->
                        line.startsWith("  too long     1 held past the end of the lease; the worst, 'order:42', "));
    }

    @Test
    void gaugesAreAskedWhenSomebodyLooks() {
        assertThat(report.gauge(Gauge.LIVE_LEASES)).isZero();

        report.gauge(Gauge.LIVE_LEASES, () -> 3);

        assertThat(report.gauge(Gauge.LIVE_LEASES)).isEqualTo(3);
        assertThat(new LockfenceBean(report).getLiveLeases()).isEqualTo(3);
    }

    static Acquisition acquisition(Lease lease) {
        return new Acquisition("redisson", lease.lock(), lease.owner(), null, true, null, null, true, null);
    }

    static Lease lease(String lock, long grantedNanos) {
        return new Lease(
                lock,
                "orders/" + lock,
                "7f3c9a12000000000000000000000001",
                "owner",
                0,
                1729,
                new Deadline(System.nanoTime(), grantedNanos));
    }

    private List<String> lines() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
