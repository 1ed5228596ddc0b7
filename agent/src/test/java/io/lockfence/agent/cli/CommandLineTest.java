/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.report.Version;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Help.Ansi;

class CommandLineTest {
    @TempDir
    Path directory;

    private record Ended(int code, String out, String err) {}

    private static Ended run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(Ansi.OFF, new PrintWriter(out), new PrintWriter(err), arguments);
        return new Ended(
                code, out.toString().replace("\r\n", "\n"), err.toString().replace("\r\n", "\n"));
    }

    private String file(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, text);
        return file.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--version",
                "-V",
                "check --version",
                "ddl --version",
                "scan --version",
                "schema --version",
                "completion -V",
                "doctor -V",
                "attach -V"
            })
    void theVersionIsPrinted(String arguments) {
        assertThat(run(arguments.split(" "))).isEqualTo(new Ended(0, "lockfence " + Version.current() + "\n", ""));
        assertThat(Version.current()).matches("\\d+\\.\\d+.*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "help"})
    void theHelpListsTheCommandsAndNoOther(String argument) {
        Ended ended = run(argument);

        assertThat(ended.code()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out())
                .startsWith("Usage: java -jar lockfence.jar")
                .contains(
                        "check",
                        "ddl",
                        "scan",
                        "doctor",
                        "raise",
                        "attach",
                        "schema",
                        "completion",
                        "java -javaagent:lockfence.jar",
                        "0   fine",
                        "1   there are findings",
                        "2   wrong usage")
                .doesNotContain("report", "\u001b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"check", "ddl", "scan", "schema", "completion", "doctor", "raise", "attach"})
    void everyCommandHasHelp(String command) {
        Ended ended = run(command, "--help");

        assertThat(ended.code()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).startsWith("Usage: java -jar lockfence.jar " + command);
        assertThat(run("help", command).out()).isEqualTo(ended.out());
    }

    @Test
    void noCommandIsWrongUsage() {
        Ended ended = run();

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).startsWith("which command?\nUsage: java -jar lockfence.jar");
    }

    @Test
    void aMisspeltCommandIsSuggested() {
        assertThat(run("chekc", "lockfence.yaml"))
                .satisfies(ended -> assertThat(ended.code()).isEqualTo(2))
                .satisfies(ended -> assertThat(ended.out()).isEmpty())
                .satisfies(ended -> assertThat(ended.err()).contains("'chekc'", "Did you mean", "check"));
    }

    @Test
    void aMisspeltOptionIsSuggested() {
        Ended ended = run("ddl", "--databse=postgresql");

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).contains("Unknown option: '--databse=postgresql'", "--database");
    }

    @Test
    void anUnknownDatabaseNamesTheKnownOnes() {
        Ended ended = run("ddl", "--database", "postgres");

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err())
                .contains("Invalid value for option '--database': expected one of [postgresql]", "but was 'postgres'");
    }

    @Test
    void theDatabaseMustBeNamed() {
        Ended ended = run("ddl");

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("Missing required option: '--database=NAME'");
    }

    @Test
    void theDdlIsPrintedAsItIs() throws IOException {
        String sql = Files.readString(Path.of("src/main/resources/io/lockfence/agent/fence/postgresql/ddl.sql"));

        assertThat(run("ddl", "--database", "postgresql")).isEqualTo(new Ended(0, sql, ""));
    }

    @Test
    void checkNeedsAFile() {
        Ended ended = run("check");

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("Missing required parameter: 'FILE'");
    }

    @Test
    void checkPrintsEveryProblem() throws IOException {
        String wrong = file("wrong.yaml", "mode: enforced\nlcoks: []\n");

        assertThat(run("check", wrong))
                .isEqualTo(new Ended(
                        1,
                        wrong
                                + ":1:7: 'mode' is 'enforced'; expected one of off, observe, shadow, enforce; did you mean 'enforce'?\n"
                                + wrong
                                + ":2:1: unknown key 'lcoks'; expected one of mode, strict, claimTimeout, guardIdle, locks, targets, receive, propagate; did you mean 'locks'?\n"
                                + wrong + ": 2 problems; a service with this file runs unfenced\n",
                        ""));
    }

    @Test
    void checkSaysWhatAStrictServiceDoes() throws IOException {
        String wrong = file("wrong.yaml", "strict: true\nmode: on\n");

        assertThat(run("check", wrong).out())
                .endsWith(wrong + ": 1 problem; a service with this file does not start\n");
    }

    @Test
    void checkSaysWhatAGoodFileMeans() throws IOException {
        String good = file("good.yaml", """
                mode: enforce
                strict: true
                locks:
                  - name: orders
                    library: redisson
                    key: "order:{id}"
                    resource: "orders/{id}"
                    protects: [orders-db]
                  - name: jobs
                    mode: shadow
                    library: redisson
                    key: "job:*"
                    generation: 2
                    protects: [orders-db, stock-db]
                    claim: acquire
                    guardAtRelease: false
                    ends: unlock
                targets:
                  - name: orders-db
                    jdbc: "jdbc:postgresql://*/orders"
                    unleased: report
                  - name: stock-db
                    jdbc: "jdbc:postgresql://*/stock"
                    unleased: reject
                    expired: guard
                  - name: rest
                    jdbc: "**"
                """);

        assertThat(run("check", good)).isEqualTo(new Ended(0, good + """
                                : fine
                                  mode enforce: what a dead lease sends is refused
                                  strict: a file with problems stops the JVM
                                  a claim waits 10s at most; a transaction that holds a fence may idle for 60s
                                  lock orders, mode enforce
                                    redisson locks named order:{id}
                                    fence the resource orders/{id}, generation 0
                                    on target orders-db
                                    claimed before the first statement under the lock
                                  lock jobs, mode shadow: claims and guards run; what they would refuse is only reported
                                    redisson locks named job:*
                                    fence the resource the lock's name, generation 2
                                    on targets orders-db, stock-db
                                    claimed inside the acquire call
                                    an unlock inside a transaction is not guarded: the next holder may read what this one has not committed
                                    a lease that was never unlocked stays on its thread, dead or alive
                                  target orders-db
                                    databases that match jdbc:postgresql://*/orders
                                    writes under no lease are reported
                                    the commit of an expired lease is refused
                                    writes after the lock was given back are reported
                                  target stock-db
                                    databases that match jdbc:postgresql://*/stock
                                    writes under no lease are refused
                                    the commit of an expired lease passes if its guard still holds
                                    writes after the lock was given back are reported
                                  target rest
                                    every JDBC database
                                    writes under no lease pass
                                    the commit of an expired lease is refused
                                    writes after the lock was given back are reported
                                    note: no lock protects it
                                """, ""));
    }

    private static final String DEVICE = """
            mode: enforce
            targets:
              - name: plc
                method: com.acme.plc.Plc#send(byte[])
                unleased: report
                afterRelease: reject
            """;

    @Test
    void checkSaysWhatAMethodTargetMeans() throws IOException {
        assertThat(run("check", file("device.yaml", DEVICE)).out()).endsWith("""
                  target plc
                    calls of com.acme.plc.Plc#send(byte[]), refused before they run; there is no fence
                    calls under no lease are reported
                    calls after the lock was given back are refused
                """);
    }

    @Test
    void checkSaysWhatRulesOnRequestsMean() throws IOException {
        assertThat(run("check", file("requests.yaml", """
                mode: enforce
                locks:
                  - { name: orders, library: redisson, key: "order:{id}", protects: [orders-db] }
                targets:
                  - { name: orders-db, jdbc: "jdbc:postgresql://*/orders", afterRelease: reject }
                  - { name: stock, http: "https://stock.internal/**", methods: [PUT, POST], key: STOCK_KEY, unleased: report }
                  - { name: rest, http: "*://*:*/**", afterRelease: allow }
                receive:
                  - { name: health, path: /health, trust: none }
                  - { name: in, path: "/orders/**", methods: [PUT, POST], require: true, fence: orders-db, trust: network,
                      from: [192.0.2.0/24, "::1"], protects: [orders-db, stock] }
                  - { name: signed, mode: shadow, path: "/**", trust: signed, keys: [NEW_KEY, OLD_KEY], leap: 7, protects: [orders-db] }
                propagate: { exclude: ["com.acme.audit.*", "*$Log"] }
                """)).out()).endsWith("""
                  target orders-db
                    databases that match jdbc:postgresql://*/orders
                    writes under no lease pass
                    the commit of an expired lease is refused
                    writes after the lock was given back are refused
                  target stock
                    requests to URLs that match https://stock.internal/**, which carry the lease, signed with the key in STOCK_KEY
                    POST, PUT are refused before they are sent, once the lease is dead
                    requests under no lease are reported
                    requests after the lock was given back are reported
                  target rest
                    requests to URLs that match *://*:*/**, which carry the lease
                    DELETE, PATCH, POST, PUT are refused before they are sent, once the lease is dead
                    requests under no lease pass
                    requests after the lock was given back pass
                    note: no lock protects it
                  requests health, mode enforce
                    every method of /health
                    are handled under no lease, whatever they carry
                  requests in, mode enforce
                    POST, PUT /orders/**
                    their leases are believed from 192.0.2.0/24, ::1
                    a token may be ahead by 1000000000000
                    without a lease they are answered with 428
                    on targets orders-db, stock
                    claimed on orders-db before the handler runs
                  requests signed, mode shadow: claims and guards run; what they would refuse is only reported
                    every method of /**
                    their leases are believed if signed with the key in NEW_KEY or OLD_KEY
                    a token may be ahead by 7
                    on target orders-db
                  work given to executors inherits leases, except by classes named com.acme.audit.*, *$Log
                """);
    }

    @Test
    void theDoctorSaysThatMethodsHaveNoFenceToLookAt() throws IOException {
        Ended ended = run("doctor", file("device.yaml", DEVICE));

        assertThat(ended.code()).isZero();
        assertThat(ended.out()).contains("No target is a database, so there is no fence to look at");
    }

    @Test
    void checkOfAFileThatTurnsAllOffSaysNoMore() throws IOException {
        String off = file("off.yaml", "mode: off\n");

        assertThat(run("check", off)).isEqualTo(new Ended(0, off + ": fine\n  mode off: nothing is done\n", ""));
    }

    @Test
    void oneWrongFileAmongGoodOnesIsAFinding() throws IOException {
        String good = file("good.yaml", "mode: observe\n");
        String missing = directory.resolve("missing.yaml").toString();

        Ended ended = run("check", good, missing);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .contains(good + ": fine\n", missing + ": the file does not exist", missing + ": 1 problem; ");
    }
}
