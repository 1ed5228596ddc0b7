/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.it.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Each client with each server, each at its oldest and newest supported version: a caller whose lease ends while its request is built but not sent, on
 * its way, or at work in the receiver, must not overwrite what the next holder wrote through the receiver. The same without the agent loses that update.
 */
class MatrixIT {
    private static final String RULES = Scenario.RULES + """
              - name: services
                http: "http://127.0.0.1:*/**"
            receive:
              - name: required
                path: "/required/**"
                methods: [PUT]
                require: true
                trust: network
                from: [127.0.0.0/8]
              - name: from-callers
                path: "/**"
                trust: network
                from: [127.0.0.0/8]
            """;

    private static Stage bare;
    private static Stage fenced;

    @BeforeAll
    static void start() throws Exception {
        bare = new Stage(false, RULES, Matrix.SERVERS);
        fenced = new Stage(true, RULES, Matrix.SERVERS);
        bare.ready();
        fenced.ready();
    }

    @AfterAll
    static void end() throws IOException {
        bare.close();
        fenced.close();
        System.out.println(Matrix.table());
    }

    @TestFactory
    Stream<DynamicContainer> aLateRequestDoesNotOverwriteWhatTheNextHolderWrote() {
        return Matrix.SERVERS.stream().map(server -> {
            Supplier<Both> plays = once(() -> Both.play(server));
            List<DynamicTest> tests = new ArrayList<>();
            for (String client : Matrix.clients(server)) {
                for (Play.Story story : Stage.stories(client, Matrix.clients(server))) {
                    tests.add(DynamicTest.dynamicTest(
                            client + " -> " + server + ", " + story,
                            () -> plays.get().verify(client, story)));
                }
            }
            return DynamicContainer.dynamicContainer(server, tests);
        });
    }

    @TestFactory
    Stream<DynamicTest> aHeaderThatCannotBeReadIsAnsweredWith400AndDoesNotReachTheHandler() {
        return Matrix.plainServers()
                .map(server -> DynamicTest.dynamicTest(server, () -> {
                    int port = fenced.receiver().port(server);
                    int item = fenced.item();
                    String path = "/counts/" + item;
                    Map<String, String> answers = new LinkedHashMap<>();
                    Map<String, String> expected = new LinkedHashMap<>();
                    for (Map.Entry<String, List<String>> bad : BadHeaders.all().entrySet()) {
                        Wire.Answer answer = Wire.send(port, "PUT", path, "7", bad.getValue());
                        answers.put(bad.getKey(), answer.status() + (answer.isProblem() ? " problem" : answer.text()));
                        expected.put(bad.getKey(), "400 problem");
                    }
                    assertThat(answers).isEqualTo(expected);
                    assertThat(Wire.send(port, "PUT", path, "7", BadHeaders.huge())
                                    .status())
                            .as("a huge one")
                            .isIn(400, 431, 413, Wire.CLOSED);
                    assertThat(fenced.value(item)).as("written by none").isZero();
                    assertThat(fenced.receiver().process().count("handling PUT " + path + "$"))
                            .as("seen by the handler")
                            .isZero();
                    Wire.Answer good = Wire.send(port, "PUT", path, "7", List.of(BadHeaders.good(item, 5)));
                    assertThat(good.status()).as(good.text()).isEqualTo(200);
                    assertThat(fenced.value(item)).isEqualTo(7);
                }));
    }

    /** However the path is spelled: the service either gets the request with a lease, or at another path. */
    @TestFactory
    Stream<DynamicTest> whatRequiresALeaseIsAnsweredWith428WithoutOne() {
        return Matrix.plainServers()
                .map(server -> DynamicTest.dynamicTest(server, () -> {
                    int port = fenced.receiver().port(server);
                    int item = fenced.item();
                    String path = "/required/counts/" + item;
                    Wire.Answer answer = Wire.send(port, "PUT", path, "7", List.of());
                    assertThat(answer.status()).as(answer.text()).isEqualTo(428);
                    assertThat(answer.isProblem()).as(answer.text()).isTrue();
                    for (String spelling : List.of(
                            "/%72equired/counts/" + item,
                            "/./required/counts/" + item,
                            "/x/../required/counts/" + item,
                            "/x/%2e%2e/required/counts/" + item,
                            "//required/counts/" + item,
                            "/required//counts/" + item,
                            "/required;a=b/counts/" + item,
                            "/required/counts;/" + item,
                            "/required%2Fcounts/" + item,
                            "/required\\counts/" + item,
                            path + "?a=b",
                            path + "/",
                            path + ";a=b",
                            "http://127.0.0.1:" + port + path)) {
                        Wire.send(port, "PUT", spelling, "7", List.of());
                        assertThat(fenced.receiver().process().count("handling PUT " + path + "$"))
                                .as("handled through %s", spelling)
                                .isZero();
                    }
                    Wire.Answer good = Wire.send(port, "PUT", path, "7", List.of(BadHeaders.good(item, 5)));
                    assertThat(good.status()).as(good.text()).isEqualTo(200);
                    Wire.Answer read = Wire.send(port, "GET", path, "", List.of());
                    assertThat(read.status())
                            .as("a method that the rule does not name: %s", read.text())
                            .isEqualTo(200);
                }));
    }

    /** A request from outside never starts with what an earlier one left. */
    @TestFactory
    Stream<DynamicTest> aRequestWithoutALeaseIsNotUnderThatOfAnEarlierOne() {
        return Matrix.plainServers()
                .map(server -> DynamicTest.dynamicTest(server, () -> {
                    int port = fenced.receiver().port(server);
                    int item = fenced.item();
                    String path = "/counts/" + item;
                    for (int i = 0; i < 20; i++) {
                        assertThat(Wire.send(port, "PUT", path, "1", List.of(BadHeaders.good(item, 5)))
                                        .status())
                                .isEqualTo(200);
                    }
                    assertThat(Wire.send(port, "PUT", path, "2", List.of(BadHeaders.good(item, 6)))
                                    .status())
                            .isEqualTo(200);
                    for (int i = 0; i < 40; i++) {
                        Wire.Answer answer = Wire.send(port, "PUT", path, "3", List.of());
                        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
                    }
                    Wire.Answer late = Wire.send(port, "PUT", path, "4", List.of(BadHeaders.good(item, 5)));
                    assertThat(late.status()).as(late.text()).isEqualTo(412);
                    assertThat(fenced.value(item)).isEqualTo(3);
                }));
    }

    /** What was seen in both worlds with one server. */
    private record Both(List<Play> bare, List<Play> fenced) {
        static Both play(String server) {
            CompletableFuture<List<Play>> without = CompletableFuture.supplyAsync(() -> all(MatrixIT.bare, server));
            List<Play> with = all(MatrixIT.fenced, server);
            return new Both(without.join(), with);
        }

        private static List<Play> all(Stage stage, String server) {
            try {
                return stage.play(server, Matrix.clients(server));
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        }

        void verify(String client, Play.Story story) {
            Play control = find(bare, client, story);
            assertThat(control.broken).as("the control broke: %s", control).isNull();
            assertThat(List.of(control.next, control.late, control.value))
                    .as("the control, without the agent, must lose an update, or this shows nothing: %s", control)
                    .isEqualTo(List.of("put 1", "put 1", 1L));
            Play play = find(fenced, client, story);
            assertThat(play.broken).as("with the agent: %s", play).isNull();
            assertThat(play.next)
                    .as("the next holder is not disturbed: %s", play)
                    .isEqualTo("put 1");
            assertThat(play.late).as("what the late holder is told: %s", play).matches(told(client, story));
            assertThat(play.value).as("in the database: %s", play).isEqualTo(1);
        }

        private static String told(String client, Play.Story story) {
            String expired = Matrix.isGrpc(client) ? GRPC_EXPIRED : EXPIRED;
            return story == Play.Story.BUILT ? STALE + "|" + expired : STALE;
        }

        private static Play find(List<Play> plays, String client, Play.Story story) {
            return plays.stream()
                    .filter(play -> play.client.equals(client) && play.story == story)
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static final String STALE = "answered 412 application/problem\\+json(;charset=utf-8)? .*LF001.*";
    private static final String EXPIRED = "failed send: IOException: .*LF002.*";

    private static final String GRPC_EXPIRED = "failed send: Status(Runtime)?Exception: FAILED_PRECONDITION: .*LF002.*";

    private static <T> Supplier<T> once(Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        return () -> {
            synchronized (result) {
                if (!result.isDone()) {
                    try {
                        result.complete(work.get());
                    } catch (RuntimeException e) {
                        result.completeExceptionally(e);
                    }
                }
            }
            return result.join();
        };
    }
}
