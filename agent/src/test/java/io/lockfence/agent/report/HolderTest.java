/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HolderTest {
    @TempDir
    Path directory;

    @Test
    void namesHostProcessAndThread() {
        assertThat(Holder.describe())
                .matches("\\S+ pid " + ProcessHandle.current().pid() + " thread .+")
                .endsWith(Thread.currentThread().getName());
    }

    @Test
    void aLongThreadNameIsCut() throws Exception {
        String[] holder = new String[1];
        Thread thread = new Thread(() -> holder[0] = Holder.describe(), "x\n".repeat(1000));
        thread.start();
        thread.join();

        assertThat(holder[0]).doesNotContain("\n").hasSizeLessThanOrEqualTo(200);
    }

    @Test
    void theHostIsTheFirstThatIsKnown() throws IOException {
        Path file = Files.writeString(directory.resolve("hostname"), "from-file\n");

        assertThat(Holder.host("shop-1", "pc", file.toString())).isEqualTo("shop-1");
        assertThat(Holder.host(" ", "pc", file.toString())).isEqualTo("pc");
        assertThat(Holder.host(null, null, file.toString())).isEqualTo("from-file");
        assertThat(Holder.host(null, null, directory.toString())).isEqualTo("unknown-host");
    }

    @Test
    void theVersionIsTheOneThatWasBuilt() {
        assertThat(Version.current()).matches("\\d+\\.\\d+\\.\\d+.*");
    }
}
