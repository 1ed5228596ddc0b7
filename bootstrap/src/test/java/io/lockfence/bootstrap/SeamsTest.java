/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SeamsTest {
    private final Recorder recorder = Recorder.connect();

    @AfterEach
    void nothingIsLeft() {
        LeaseContext.endUnit(null);
        while (LeaseContext.active() > 0) {
            LeaseContext.deactivate();
        }
    }

    @Test
    void aFaultPoisonsEveryLeaseOnTheThread() {
        Lease first = Leases.living("a");
        Lease second = Leases.living("b");
        LeaseContext.activate();
        LeaseContext.ofCurrentThread().attach(first);
        LeaseContext.ofCurrentThread().attach(second);

        Seams.fault(new IllegalStateException("books wrong"));

        assertThat(first.death()).isEqualTo(Lease.Death.UNUSABLE);
        assertThat(second.death()).isEqualTo(Lease.Death.UNUSABLE);
        assertThat(first.deathCause()).contains("books wrong");
        assertThat(recorder.faults).hasSize(1);
    }

    @Test
    void aFaultOutsideAnyLeaseIsOnlyReported() {
        Seams.fault(new IllegalStateException("books wrong"));

        assertThat(recorder.faults).singleElement().isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFaultLeavesTheLeasesOfOtherThreadsAlone() throws InterruptedException {
        Lease elsewhere = Leases.living("a");
        LeaseContext.activate();
        LeaseContext.ofCurrentThread().attach(elsewhere);
        Thread other = new Thread(() -> Seams.fault(new IllegalStateException("books wrong")));

        other.start();
        other.join();

        assertThat(elsewhere.death()).isNull();
        assertThat(recorder.faults).hasSize(1);
    }
}
