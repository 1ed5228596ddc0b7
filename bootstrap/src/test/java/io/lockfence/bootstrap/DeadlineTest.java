/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlineTest {
    @ParameterizedTest(name = "of {0} ms, {1} ms are kept back")
    @CsvSource({"30000, 300", "2000, 20", "1999, 20", "100, 20", "20, 20", "5, 20", "0, 20"})
    void keepsBackOnePercentAndAtLeastTwentyMilliseconds(long granted, long margin) {
        long sentAt = 1_000_000_000_000L;

        long end = Deadline.end(sentAt, TimeUnit.MILLISECONDS.toNanos(granted));

        assertThat(end - sentAt).isEqualTo(TimeUnit.MILLISECONDS.toNanos(granted - margin));
    }

    @Test
    void countsFromTheSendTimeAndNotFromTheAnswer() {
        long sentAt = System.nanoTime() - TimeUnit.SECONDS.toNanos(5);

        Deadline deadline = new Deadline(sentAt, TimeUnit.SECONDS.toNanos(5));

        assertThat(deadline.passed()).as("five seconds, five seconds ago").isTrue();
        assertThat(deadline.left()).isNegative();
    }

    @Test
    void anEarlierRenewalThatIsReportedLateDoesNotMoveItBack() {
        long now = System.nanoTime();
        Deadline deadline = new Deadline(now, TimeUnit.SECONDS.toNanos(10));
        deadline.extend(now + 2, TimeUnit.SECONDS.toNanos(30));
        long at = deadline.at();

        deadline.extend(now + 1, TimeUnit.SECONDS.toNanos(20));

        assertThat(deadline.at()).isEqualTo(at);
    }

    @Test
    void aRenewalMovesItForward() {
        long now = System.nanoTime();
        Deadline deadline = new Deadline(now, TimeUnit.SECONDS.toNanos(10));

        deadline.extend(now + 1_000, TimeUnit.SECONDS.toNanos(10));

        assertThat(deadline.at()).isEqualTo(Deadline.end(now + 1_000, TimeUnit.SECONDS.toNanos(10)));
    }

    @Test
    void aShorteningMovesItBack() {
        long now = System.nanoTime();
        Deadline deadline = new Deadline(now, TimeUnit.SECONDS.toNanos(30));

        deadline.shorten(now, TimeUnit.SECONDS.toNanos(1));

        assertThat(deadline.at()).isEqualTo(Deadline.end(now, TimeUnit.SECONDS.toNanos(1)));
    }

    @Test
    void aShorteningToMoreThanThereIsLeavesItWhereItIs() {
        long now = System.nanoTime();
        Deadline deadline = new Deadline(now, TimeUnit.SECONDS.toNanos(1));

        deadline.shorten(now, TimeUnit.SECONDS.toNanos(30));

        assertThat(deadline.at()).isEqualTo(Deadline.end(now, TimeUnit.SECONDS.toNanos(1)));
    }

    @Test
    void aRenewalThatWasUnderWayWhenItWasShortenedNoLongerExtendsIt() {
        long now = System.nanoTime();
        Deadline deadline = new Deadline(now, TimeUnit.SECONDS.toNanos(30));
        deadline.shorten(now + 1, TimeUnit.SECONDS.toNanos(1));
        long at = deadline.at();

        deadline.extend(now + 2, TimeUnit.SECONDS.toNanos(30));

        assertThat(deadline.at()).as("the order at the coordinator is unknown").isEqualTo(at);
    }

    @Test
    void aRenewalThatWasSentAfterTheShorteningExtendsIt() {
        long now = System.nanoTime();
        Deadline deadline = new Deadline(now, TimeUnit.SECONDS.toNanos(30));
        deadline.shorten(now, TimeUnit.SECONDS.toNanos(1));
        long later = System.nanoTime();

        deadline.extend(later, TimeUnit.SECONDS.toNanos(30));

        assertThat(deadline.at()).isEqualTo(Deadline.end(later, TimeUnit.SECONDS.toNanos(30)));
    }

    @Test
    void comparesAcrossTheWrapAroundOfTheClock() {
        long sentAt = Long.MAX_VALUE - 10;
        Deadline deadline = new Deadline(sentAt, TimeUnit.SECONDS.toNanos(10));
        assertThat(deadline.at()).as("beyond the wrap-around").isNegative();

        deadline.extend(sentAt + 100, TimeUnit.SECONDS.toNanos(10));

        assertThat(deadline.at() - sentAt)
                .isEqualTo(TimeUnit.SECONDS.toNanos(10) - TimeUnit.MILLISECONDS.toNanos(100) + 100);
    }

    @Test
    void aGrantWithoutEndStaysInTheFuture() {
        Deadline deadline = new Deadline(System.nanoTime(), Long.MAX_VALUE);

        assertThat(deadline.passed()).isFalse();
        assertThat(deadline.left()).isGreaterThan(TimeUnit.DAYS.toNanos(365));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE})
    void aNegativeGrantHasPassed(long granted) {
        assertThat(new Deadline(System.nanoTime(), granted).passed()).isTrue();
    }
}
