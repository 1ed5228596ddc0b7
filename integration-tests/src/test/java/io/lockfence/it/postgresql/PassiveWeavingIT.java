/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.instrumentation.postgresql.PostgresLibrary;
import java.sql.Connection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A driver that the agent only listens to shows the service the same, and sends the server the same, as the bare one. */
class PassiveWeavingIT {
    private record Run(List<String> seen, String sent, int readyForQuery, int roundTrips) {}

    static Stream<Arguments> drivers() {
        return Stream.of(
                Arguments.of(Drivers.NEWEST, new String[] {}),
                Arguments.of(Drivers.NEWEST, new String[] {"preferQueryMode=simple"}),
                Arguments.of(Drivers.NEWEST, new String[] {"preferQueryMode=extendedCacheEverything"}),
                Arguments.of(Drivers.NEWEST, new String[] {"preferQueryMode=extendedForPrepared"}),
                Arguments.of(Drivers.NEWEST, new String[] {"prepareThreshold=0"}),
                Arguments.of(Drivers.NEWEST, new String[] {"prepareThreshold=1"}),
                Arguments.of(Drivers.NEWEST, new String[] {"prepareThreshold=-1"}),
                Arguments.of(Drivers.NEWEST, new String[] {"reWriteBatchedInserts=true"}),
                Arguments.of(Drivers.NEWEST, new String[] {"binaryTransfer=false"}),
                Arguments.of(Drivers.NEWEST, new String[] {"autosave=always"}),
                Arguments.of(Drivers.NEWEST, new String[] {"autosave=always", "cleanupSavepoints=true"}),
                Arguments.of(Drivers.NEWEST, new String[] {"autosave=conservative"}),
                Arguments.of(Drivers.NEWEST, new String[] {"readOnlyMode=always"}),
                Arguments.of(Drivers.OLDEST, new String[] {}),
                Arguments.of(Drivers.OLD_LINE, new String[] {}),
                Arguments.of(Drivers.OLD_LINE, new String[] {"autosave=always"}));
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void behavesAndSpeaksLikeTheBareDriver(String version, String[] options) throws Exception {
        try (Wire wire = new Wire(Database.port())) {
            Run bare;
            try (Drivers.Copy copy = Drivers.bare(version)) {
                bare = run(wire, WovenDriver.connect(copy, wire.url(), options));
            }
            ScriptedEffects unheard = new ScriptedEffects();
            try (WovenDriver woven = WovenDriver.idle(version, unheard)) {
                same(bare, run(wire, woven.connect(wire.url(), options)), List.of(options));
                // Some versions close twice; see Effects.closed.
                assertThat(unheard.heard).startsWith("opened").endsWith("closed");
                assertThat(Set.copyOf(unheard.heard)).containsExactlyInAnyOrder("opened", "closed");
                assertThat(woven.faults).isEmpty();
            }
            ScriptedEffects passive = new ScriptedEffects();
            try (WovenDriver woven = WovenDriver.active(version, passive)) {
                same(bare, run(wire, woven.connect(wire.url(), options)), List.of(options));
                assertThat(passive.heard.stream().filter(heard -> heard.startsWith("sending")))
                        .hasSizeGreaterThan(100);
                assertThat(passive.heard.stream().filter(heard -> heard.startsWith("sent")))
                        .as("every statement that was told before it was sent is told to be answered")
                        .hasSameSizeAs(passive.heard.stream()
                                .filter(heard -> heard.startsWith("sending"))
                                .toList());
                assertThat(woven.faults).isEmpty();
            }
        }
    }

    @Test
    void everyPointIsFoundInEveryVersion() throws Exception {
        for (String version : List.of(Drivers.NEWEST, Drivers.OLDEST, Drivers.OLD_LINE)) {
            try (Drivers.Copy copy = Drivers.woven(version)) {
                for (String name : List.of(
                        "org.postgresql.Driver",
                        "org.postgresql.jdbc.PgConnection",
                        "org.postgresql.core.v3.QueryExecutorImpl",
                        "org.postgresql.core.QueryExecutorBase",
                        "org.postgresql.core.v3.Portal",
                        "org.postgresql.xa.PGXAConnection")) {
                    copy.loadClass(name);
                }
                assertThat(copy.matched())
                        .as("points woven in %s", version)
                        .containsExactlyInAnyOrderElementsOf(new PostgresLibrary().points());
            }
        }
    }

    private static void same(Run bare, Run woven, List<String> options) {
        assertThat(woven.seen).as("what the service sees").containsExactlyElementsOf(bare.seen);
        assertThat(woven.sent).as("messages to the server").isEqualTo(bare.sent);
        assertThat(woven.readyForQuery).as("times that the server was ready").isEqualTo(bare.readyForQuery);
        if (!options.contains("autosave=always")) {
            // With it, the driver flushes its RELEASE and goes on: whether the server answers before the next message
            // is chance.
            assertThat(woven.roundTrips).as("round trips").isEqualTo(bare.roundTrips);
        }
    }

    private static Run run(Wire wire, Connection connection) throws Exception {
        JdbcExercise.prepare();
        wire.reset();
        try (connection) {
            List<String> seen = JdbcExercise.run(connection);
            return new Run(seen, wire.sent(), wire.readyForQuery(), wire.roundTrips());
        }
    }
}
