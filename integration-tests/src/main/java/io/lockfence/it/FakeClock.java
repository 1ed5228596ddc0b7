/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A wall clock that can jump, for the processes that are started with {@link #environment}: Debian's faketime. */
public final class FakeClock implements AutoCloseable {
    private final Path offset;

    public FakeClock() {
        try {
            offset = Files.createTempFile("lockfence-clock", null);
            jump(Duration.ZERO);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What makes a process follow this clock, within a second of each jump. The monotonic clock stays real: a wall clock that is set does
     * not change it.
     */
    public Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD", library().toString(),
                "FAKETIME_TIMESTAMP_FILE", offset.toString(),
                "FAKETIME_CACHE_DURATION", "1",
                "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                "FAKETIME_DONT_RESET", "1");
    }

    /** From now on the clock differs by that much from the true one. */
    public void jump(Duration fromTrueTime) {
        try {
            Path next = Files.createTempFile(offset.getParent(), "lockfence-clock", null);
            Files.writeString(next, String.format("%+d\n", fromTrueTime.toSeconds()));
            Files.move(next, offset, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path library() {
        try (Stream<Path> files =
                Files.find(Path.of("/usr/lib"), 4, (path, a) -> path.endsWith("libfaketimeMT.so.1"))) {
            Optional<Path> found = files.findFirst();
            return found.orElseThrow(() -> new IllegalStateException(
                    "libfaketime is missing; ./verify installs it: apt-get install faketime"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(offset);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
