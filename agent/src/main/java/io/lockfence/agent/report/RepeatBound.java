/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Keeps a storm of like lines from flooding the log: so many for each key in each window, so many for all, and the number of those
 * that were left out goes with the next line. Thread safe; holds a bounded number of keys.
 */
final class RepeatBound {
    private static final int MOST_KEYS = 1000;

    private final int mostOfKey;
    private final int mostOfAll;
    private final long windowNanos;
    private final Map<Object, Window> windows = new HashMap<>();
    private final Window all = new Window();

    RepeatBound(int mostOfKey, int mostOfAll, long windowNanos, long now) {
        this.mostOfKey = mostOfKey;
        this.mostOfAll = mostOfAll;
        this.windowNanos = windowNanos;
        all.beganAt = now;
    }

    /**
     * Asks for a line.
     *
     * @param now {@link System#nanoTime()}
     * @return empty if it is to be left out; else how many like it were left out since the last one
     */
    synchronized OptionalLong ask(Object key, long now) {
        Window window = windows.get(key);
        if (window == null) {
            if (windows.size() >= MOST_KEYS) {
                windows.values().removeIf(old -> now - old.beganAt >= windowNanos);
                if (windows.size() >= MOST_KEYS) {
                    windows.clear();
                }
            }
            window = new Window();
            window.beganAt = now;
            windows.put(key, window);
        }
        window.roll(now);
        all.roll(now);
        if (window.written >= mostOfKey || all.written >= mostOfAll) {
            window.leftOut++;
            return OptionalLong.empty();
        }
        window.written++;
        all.written++;
        long leftOut = window.leftOut;
        window.leftOut = 0;
        return OptionalLong.of(leftOut);
    }

    private final class Window {
        private long beganAt;
        private int written;
        private long leftOut;

        private void roll(long now) {
            if (now - beganAt >= windowNanos) {
                beganAt = now;
                written = 0;
            }
        }
    }
}
