/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BesideTest {
    private final Beside<Object, String> beside = new Beside<>();

    @Test
    void tellsEqualObjectsApart() {
        String first = new String("same");
        String second = new String("same");

        beside.put(first, "one");

        assertThat(beside.get(first)).isEqualTo("one");
        assertThat(beside.get(second)).isNull();
    }

    @Test
    void replacesAndRemoves() {
        Object key = new Object();
        assertThat(beside.isEmpty()).isTrue();

        beside.put(key, "one");
        beside.put(key, "two");
        String replaced = beside.get(key);
        beside.remove(key);
        beside.remove(key);

        assertThat(replaced).isEqualTo("two");
        assertThat(beside.get(key)).isNull();
        assertThat(beside.isEmpty()).isTrue();
    }

    @Test
    void growsWithItsObjects() {
        List<Object> keys = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            keys.add(new Object());
            beside.put(keys.get(i), "state " + i);
        }

        for (int i = 0; i < 10_000; i++) {
            assertThat(beside.get(keys.get(i))).isEqualTo("state " + i);
        }
    }

    @Test
    void forgetsStateWhoseObjectIsGone() {
        List<WeakReference<String>> states = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            String state = new String("state " + i);
            states.add(new WeakReference<>(state));
            beside.put(new Object(), state);
        }
        Object alive = new Object();

        long deadline = System.nanoTime() + 20_000_000_000L;
        do {
            System.gc();
            beside.put(alive, "alive");
        } while (states.stream().anyMatch(state -> state.get() != null) && System.nanoTime() - deadline < 0);

        assertThat(states).allMatch(state -> state.get() == null);
        assertThat(beside.get(alive)).isEqualTo("alive");
        beside.remove(alive);
        assertThat(beside.isEmpty()).as("what is gone is not counted").isTrue();
    }

    @Test
    void neverMissesAnObjectWhileOthersComeAndGo() throws Exception {
        List<Object> lasting = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            lasting.add(new Object());
            beside.put(lasting.get(i), "lasting");
        }
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService readers = Executors.newFixedThreadPool(2);
        try {
            List<Future<Integer>> misses = new ArrayList<>();
            for (int reader = 0; reader < 2; reader++) {
                misses.add(readers.submit(() -> {
                    int missed = 0;
                    while (!done.get()) {
                        for (Object key : lasting) {
                            missed += beside.get(key) == null ? 1 : 0;
                        }
                    }
                    return missed;
                }));
            }
            List<Object> passing = new ArrayList<>();
            for (int i = 0; i < 50_000; i++) {
                passing.add(new Object());
                beside.put(passing.get(i), "passing");
                if (i % 3 == 0) {
                    beside.remove(passing.get(i / 2));
                }
            }
            done.set(true);
            for (Future<Integer> missed : misses) {
                assertThat(missed.get()).isZero();
            }
        } finally {
            done.set(true);
            readers.shutdown();
        }
    }
}
