/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A Spring Boot service: {@code @Transactional}, Hibernate, embedded Tomcat, in a fat jar. */
class SpringIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static Scenario spring(Scenario.Story story) {
        return Scenario.of(story).rules(Scenario.RULES.replace("order:{id}", "stock:{id}"));
    }

    @Test
    void aServiceThatIsStoppedInsideATransactionalMethod() throws Exception {
        Result result = spring(world -> {
                    Web a = world.spring("a");
                    Web b = world.spring("b");
                    b.ready();
                    CompletableFuture<HttpResponse<String>> late = a.starts("/items/1/increment?work=1500", 1);
                    a.process().await("^read 0$");
                    a.process().stop();
                    b.does("/items/1/increment", 1);
                    b.does("/items/1/increment", 1);
                    a.process().resume();
                    HttpResponse<String> answer = late.join();
                    a.does("/items/1/increment", 1);
                    if (world.fenced()) {
                        // The unlock in the finally block throws too, and that is what the caller gets to see; the
                        // agent has said it before.
                        assertThat(answer.statusCode()).isEqualTo(500);
                        assertThat(a.process().count("^lockfence: Lockfence refused .*LF00[12]"))
                                .isEqualTo(1);
                    }
                })
                .play();
        assertThat(result.increments()).isEqualTo(3);
    }

    /** Hibernate writes at the commit, after the finally block that has given up the lock. */
    @Test
    void unlockInAFinallyBlockInsideATransactionalMethod() throws Exception {
        Result result = spring(world -> {
                    PostgresProxy network = world.postgresProxy();
                    Web a = world.spring("a", network.port());
                    Web b = world.spring("b");
                    b.ready();
                    a.ready();
                    network.hold("^update");
                    CompletableFuture<HttpResponse<String>> early = a.starts("/items/1/unlock-before-commit", 1);
                    network.awaitHeld(LIMIT);
                    CompletableFuture<HttpResponse<String>> next = b.starts("/items/1/increment", 1);
                    Waits.until("the next is done or waits", LIMIT, () -> next.isDone() || world.waitsInDatabase());
                    network.release();
                    early.join();
                    next.join();
                })
                .play();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.increments()).isEqualTo(2);
    }

    @Test
    void healthyRequestsOfEveryKindAreNeverRefused() throws Exception {
        Result result = spring(world -> {
                    Web a = world.spring("a", "--server.tomcat.threads.max=8");
                    Web b = world.spring("b", "--server.tomcat.threads.max=8");
                    a.ready();
                    b.ready();
                    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
                    for (int i = 0; i < 40; i++) {
                        Web web = i % 2 == 0 ? a : b;
                        int item = 1 + i % 3;
                        answers.add(web.starts("/items/" + item + "/increment?work=5", 1));
                        answers.add(web.starts("/items/" + item + "/unlock-before-commit?work=5", 1));
                        answers.add(web.starts("/items/" + item + "/requires-new/" + (10 + i % 3), 2));
                    }
                    for (CompletableFuture<HttpResponse<String>> answer : answers) {
                        assertThat(answer.join().statusCode())
                                .as(answer.join().body())
                                .isEqualTo(200);
                    }
                })
                .serviceOptions("--watchdog=30000")
                .playFenced();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.stored()).isEqualTo(160);
    }

    @Test
    void aNewTransactionThatWouldWaitForItsOwnOuterOneIsRefusedAtOnce() throws Exception {
        Result result = spring(world -> {
                    Web a = world.spring("a");
                    a.ready();
                    long start = System.nanoTime();
                    HttpResponse<String> answer = a.tries("/items/1/relock-in-new/2", 2);
                    assertThat(answer.body()).startsWith("LF00");
                    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
                    a.does("/items/1/increment", 1);
                    a.does("/items/2/increment", 1);
                })
                .serviceOptions("--watchdog=30000")
                .playFenced();
        assertThat(result.refusals()).hasSize(1);
        assertThat(result.stored()).isEqualTo(2);
    }

    /** {@code tryLock(0, 1 s)} that nobody unlocks: its dead lease must not stay on the request thread. */
    @Test
    void aRunOnceMarkerDoesNotPoisonTheThreadsOfThePool() throws Exception {
        Result result = spring(world -> {
                    Web a = world.spring("a", "--server.tomcat.threads.max=2", "--server.tomcat.threads.min-spare=2");
                    a.ready();
                    for (int i = 0; i < 20; i++) {
                        assertThat(a.does("/items/" + i + "/marker?lease=1000", 0))
                                .isEqualTo("true");
                    }
                    Waits.until(
                            "the markers have ended",
                            LIMIT,
                            () -> world.redis().command("KEYS", "marker:*").isEmpty());
                    for (int i = 0; i < 20; i++) {
                        a.does("/items/1/increment", 1);
                    }
                })
                .rules(Scenario.RULES.replace("order:{id}", "{id}"))
                .playFenced();
        assertThat(result.refusals()).isEmpty();
        assertThat(result.stored()).isEqualTo(20);
    }

    /** By Boot's error page, by advice, and by the controller's own: what they make of a refusal is replaced where it is committed. */
    @Test
    void aRefusalIsTheAnswerHoweverTheServiceWritesItsErrors() throws Exception {
        String receiving = """
                receive:
                  - {name: callers, path: "/**", trust: network, from: [127.0.0.0/8]}
                """;
        spring(world -> {
                    Web a = world.spring("a");
                    a.ready();
                    int item = 0;
                    for (String path : List.of("/plain/", "/advised/", "/handled/")) {
                        item++;
                        HttpResponse<String> without =
                                a.sends(path + item, null).join();
                        assertProblem(path, without, 428, "LF003");
                        long read = a.process().count("^read 0$");
                        CompletableFuture<HttpResponse<String>> late =
                                a.sends(path + item + "?work=1500", token(item, 5));
                        Waits.until("it has read", LIMIT, () -> a.process().count("^read 0$") > read);
                        HttpResponse<String> next =
                                a.sends(path + item, token(item, 6)).join();
                        assertThat(next.statusCode()).as(path + next.body()).isEqualTo(200);
                        assertProblem(path, late.join(), 412, "LF001");
                        assertThat(a.get("/items/" + item)).isEqualTo("1");
                    }
                })
                .rules(Scenario.RULES
                                .replace("order:{id}", "stock:{id}")
                                .replace("stock-db\n", "stock-db\n    unleased: reject\n")
                        + receiving)
                .playFenced();
    }

    private static String token(int item, int token) {
        return "\"orders/" + item + "\";lock=\"stock:" + item + "\";token=\"" + token + "\";lease=\"" + token + "a\"";
    }

    private static void assertProblem(String path, HttpResponse<String> answer, int status, String refusal) {
        assertThat(answer.statusCode()).as(path + " " + answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(answer.body()).contains("\"" + refusal + "\"");
    }
}
