/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaseTest {
    @Test
    void livesUntilItsDeadline() {
        assertThat(Leases.living("a").death()).isNull();
        assertThat(Leases.overdue("a").death()).isEqualTo(Lease.Death.EXPIRED);
    }

    @Test
    void staysExpiredWhenARenewalIsReportedAfterItsDeathWasSeen() {
        Lease lease = Leases.overdue("a");
        assertThat(lease.death()).isEqualTo(Lease.Death.EXPIRED);

        lease.deadline().extend(System.nanoTime(), TimeUnit.MINUTES.toNanos(1));

        assertThat(lease.deadline().passed()).isFalse();
        assertThat(lease.death()).as("death is for good").isEqualTo(Lease.Death.EXPIRED);
    }

    @Test
    void keepsItsFirstCauseOfDeath() {
        Lease lease = Leases.living("a");

        assertThat(lease.die(Lease.Death.LOST, "the coordinator forgot it")).isTrue();
        assertThat(lease.die(Lease.Death.STALE, "a newer lease claimed")).isFalse();

        assertThat(lease.death()).isEqualTo(Lease.Death.LOST);
        assertThat(lease.deathCause()).isEqualTo("the coordinator forgot it");
    }

    @Test
    void doesNotExpireOnceItWasReleasedAlive() {
        Deadline deadline = new Deadline(System.nanoTime(), TimeUnit.MINUTES.toNanos(1));
        Lease lease = new Lease("a", "a", "0f".repeat(16), "a@test", 0, 7, deadline);
        lease.release();

        deadline.shorten(System.nanoTime(), 0);

        assertThat(deadline.passed()).isTrue();
        assertThat(lease.death()).as("judged by the guard alone").isNull();
    }

    @Test
    void isFencedOffAlsoAfterItsRelease() {
        Lease lease = Leases.living("a");
        lease.release();

        lease.die(Lease.Death.STALE, "a newer lease claimed");

        assertThat(lease.death()).isEqualTo(Lease.Death.STALE);
    }

    @Test
    void tellsItsOwnerOfItsDeathOnce() {
        List<String> told = new ArrayList<>();
        Lease lease = new Lease("a", "a", "0f".repeat(16), "a@test", 0, 7, new Deadline(System.nanoTime(), 0)) {
            @Override
            protected void died(Death how, String why) {
                told.add(how + ": " + why);
            }
        };

        lease.death();
        lease.death();
        lease.die(Lease.Death.LOST, "too late");

        assertThat(told).containsExactly("EXPIRED: its deadline has passed");
    }

    @Test
    void takesAHigherToken() {
        Lease lease = Leases.living("a");

        lease.raise(Long.MAX_VALUE);

        assertThat(lease.token()).isEqualTo(Long.MAX_VALUE);
    }
}
