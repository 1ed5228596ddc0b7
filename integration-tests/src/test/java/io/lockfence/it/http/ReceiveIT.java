/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.it.Scenario;
import io.lockfence.it.World;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a receiver takes for the lease of a request, and what it does with it where its handler writes to no database of its own. */
class ReceiveIT {
    private static final String OLD_KEY = "an-old-key-of-the-tests-an-old-key-of-the-tests";
    private static final String NEW_KEY = "a-new-key-of-the-tests-a-new-key-of-the-tests-2";
    private static final String OTHER_KEY = "a-key-that-nobody-knows-a-key-that-nobody-knows";
    private static final String SERVER = "TomcatServer@tomcat-11.0.29";
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int LEASE_MILLIS = 3_000;

    private static final String RULES = Scenario.RULES + """
              - name: services
                http: "http://127.0.0.1:*/**"
                key: CALLER_KEY
            receive:
              - name: memory
                path: "/memory/**"
                fence: stock-db
                trust: network
                from: [127.0.0.0/8]
              - name: signed
                path: "/signed/**"
                trust: signed
                keys: [NEW_KEY, OLD_KEY]
              - name: strangers
                path: "/strangers/**"
                trust: network
                from: [192.0.2.0/24]
              - name: nobody
                path: "/nobody/**"
                trust: none
              - name: others
                path: "/**"
                trust: network
                from: [127.0.0.0/8]
            """;

    private static Services bare;
    private static Services fenced;

    /** Two callers, a receiver, and the next one that it forwards to, over a network. */
    private static final class Services {
        final World world;
        /** Signs with the new key. */
        final Caller first;
        /** Signs with the old key. */
        final Caller second;

        final Receiver receiver;
        final Receiver next;
        Network beforeNext;
        int item;

        Services(boolean fenced) throws Exception {
            world = Scenario.of(w -> {}).rules(RULES).open(fenced);
            first = new Caller(world, "first", keys(NEW_KEY));
            second = new Caller(world, "second", keys(OLD_KEY));
            next = new Receiver(world, "next", keys(NEW_KEY), List.of(SERVER));
            next.ready();
            beforeNext = new Network(next.port(SERVER));
            receiver = new Receiver(
                    world,
                    "receiver",
                    keys(NEW_KEY),
                    List.of(SERVER),
                    "--next=JdkSync,http://127.0.0.1:" + beforeNext.port());
            first.ready();
            second.ready();
            receiver.ready();
            for (Caller caller : List.of(first, second)) {
                for (String path : List.of("/stock/20", "/memory/20", "/forward/20")) {
                    caller.does("main", "lock order:20 60000");
                    caller.does("main", "get JdkSync " + receiver.url(SERVER) + path);
                    caller.does("main", "put JdkSync " + receiver.url(SERVER) + path);
                    caller.does("main", "unlock order:20");
                }
            }
        }

        private static Map<String, String> keys(String callers) {
            return Map.of("CALLER_KEY", callers, "NEW_KEY", NEW_KEY, "OLD_KEY", OLD_KEY);
        }

        int nextItem() {
            return ++item;
        }

        long claims(int item) throws Exception {
            return world.database()
                    .number(
                            world.databaseName(),
                            "SELECT count(*) FROM lockfence.fence WHERE resource = 'orders/" + item + "'");
        }

        long value(int item) throws Exception {
            return world.database().number(world.databaseName(), "SELECT value FROM stock WHERE id = " + item);
        }

        Wire.Answer put(String path, String field) throws Exception {
            return Wire.send(receiver.port(SERVER), "PUT", path, "1", List.of(field));
        }

        void close() throws Exception {
            world.close();
            beforeNext.close();
        }
    }

    @BeforeAll
    static void start() throws Exception {
        bare = new Services(false);
        fenced = new Services(true);
    }

    @AfterAll
    static void end() throws Exception {
        bare.close();
        fenced.close();
    }

    /** What the late holder is told: its request is held in this network until the next holder has done its work by way of {@code direct}. */
    private static String late(Services services, Network network, String url, String direct, int item)
            throws InterruptedException {
        must("locked order:" + item, services.first.does("main", "lock order:" + item + " " + LEASE_MILLIS));
        must("got 0", services.first.does("main", "get JdkSync " + url));
        network.hold();
        services.first.tell("main", "put JdkSync " + url);
        network.awaitHeld(LIMIT);
        must("locked order:" + item, services.second.does("main", "lock order:" + item));
        must("got 0", services.second.does("main", "get JdkSync " + direct));
        must("put 1", services.second.does("main", "put JdkSync " + direct));
        must("unlocked order:" + item, services.second.does("main", "unlock order:" + item));
        network.release();
        String late = services.first.hears("main");
        services.first.does("main", "unlock order:" + item);
        return late;
    }

    private static void must(String expected, String answer) {
        assertThat(answer).isEqualTo(expected);
    }

    private static String lateInMemory(Services services, int item) throws InterruptedException {
        String path = "/memory/" + item;
        try (Network network = new Network(services.receiver.port(SERVER))) {
            return late(
                    services,
                    network,
                    "http://127.0.0.1:" + network.port() + path,
                    services.receiver.url(SERVER) + path,
                    item);
        }
    }

    @Test
    void aHandlerThatWritesToNoDatabaseIsFencedWhereTheRuleSays() throws Exception {
        int item = bare.nextItem();
        assertThat(lateInMemory(bare, item))
                .as("without the agent an update is lost")
                .isEqualTo("put 1");

        item = fenced.nextItem();
        assertThat(lateInMemory(fenced, item)).matches("answered 412 application/problem\\+json .*LF001.*");
        assertThat(fenced.receiver.process().count("handling PUT /memory/" + item + "$"))
                .as("the handler saw the next holder's request only")
                .isEqualTo(1);
        assertThat(fenced.claims(item)).isEqualTo(1);
    }

    private static String lateOverTwoHops(Services services, int item) throws InterruptedException {
        return late(
                services,
                services.beforeNext,
                services.receiver.url(SERVER) + "/forward/" + item,
                services.next.url(SERVER) + "/stock/" + item,
                item);
    }

    @Test
    void theTokenTravelsOnToTheNextService() throws Exception {
        int item = bare.nextItem();
        assertThat(lateOverTwoHops(bare, item))
                .as("without the agent an update is lost")
                .isEqualTo("put 1");

        item = fenced.nextItem();
        assertThat(lateOverTwoHops(fenced, item)).startsWith("answered 412 ").contains("LF001");
        assertThat(fenced.value(item)).isEqualTo(1);
    }

    @Test
    void aTokenIsBelievedFromTheNetworksOfTheRuleOnly() throws Exception {
        int item = fenced.nextItem();
        Wire.Answer answer = fenced.put("/strangers/stock/" + item, BadHeaders.good(item, 5));
        assertThat(answer.status()).as(answer.text()).isEqualTo(403);
        assertThat(answer.isProblem()).as(answer.text()).isTrue();
        assertThat(fenced.claims(item)).isZero();
        assertThat(fenced.value(item)).isZero();
        Wire.Answer forwarded = Wire.send(
                fenced.receiver.port(SERVER),
                "PUT",
                "/strangers/stock/" + item,
                "1",
                List.of(BadHeaders.good(item, 5), "X-Forwarded-For: 192.0.2.7", "Forwarded: for=192.0.2.7"));
        assertThat(forwarded.status()).as(forwarded.text()).isEqualTo(403);
        assertThat(fenced.receiver.process().count("handling PUT /strangers/stock/" + item + "$"))
                .isZero();
    }

    @Test
    void aTokenThatNobodyIsBelievedWithIsAsIfItWereNotThere() throws Exception {
        int item = fenced.nextItem();
        Wire.Answer answer = fenced.put("/nobody/stock/" + item, BadHeaders.good(item, 5));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(fenced.claims(item)).isZero();
        assertThat(fenced.value(item)).isEqualTo(1);
    }

    @Test
    void signedTokensAreBelievedWithEitherKeyWhileTheKeysChange() throws Exception {
        int item = fenced.nextItem();
        String url = fenced.receiver.url(SERVER) + "/signed/stock/" + item;
        int value = 0;
        for (Caller caller : List.of(fenced.first, fenced.second)) {
            must("locked order:" + item, caller.does("main", "lock order:" + item + " 60000"));
            must("got " + value, caller.does("main", "get JdkSync " + url));
            value++;
            must("put " + value, caller.does("main", "put JdkSync " + url));
            must("unlocked order:" + item, caller.does("main", "unlock order:" + item));
        }
        assertThat(fenced.value(item)).isEqualTo(2);
        assertThat(fenced.claims(item)).isEqualTo(1);
    }

    @Test
    void aSignatureIsThatOfTheItemAndOfAKnownKey() throws Exception {
        int item = fenced.nextItem();
        String path = "/signed/stock/" + item;
        String unsigned = BadHeaders.good(item, 5);
        String bySomebody = unsigned + ";sig=" + signature(unsigned, OTHER_KEY);
        String ofAnother = unsigned + ";sig=" + signature(BadHeaders.good(item, 4), NEW_KEY);
        for (String field : List.of(unsigned, bySomebody, ofAnother)) {
            Wire.Answer answer = fenced.put(path, field);
            assertThat(answer.status()).as(field + "\n" + answer.text()).isEqualTo(403);
        }
        assertThat(fenced.claims(item)).isZero();
        assertThat(fenced.value(item)).isZero();
        for (String key : List.of(OLD_KEY, NEW_KEY)) {
            Wire.Answer answer = fenced.put(path, unsigned + ";sig=" + signature(unsigned, key));
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        }
    }

    /** As docs/http.md says how to, by hand. */
    private static String signature(String field, String key) throws Exception {
        String text = "lockfence item v1\n" + field.substring("Fencing-Token: ".length());
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        return ":" + Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8))) + ":";
    }

    @Test
    void aForgedHugeTokenLocksNobodyOut() throws Exception {
        int item = fenced.nextItem();
        String path = "/stock/" + item;
        Wire.Answer forged = fenced.put(path, BadHeaders.good(item, Long.MAX_VALUE));
        assertThat(forged.status()).as(forged.text()).isEqualTo(403);
        assertThat(fenced.claims(item)).as("nothing is claimed for it").isZero();
        String url = fenced.receiver.url(SERVER) + path;
        must("locked order:" + item, fenced.first.does("main", "lock order:" + item + " 60000"));
        must("got 0", fenced.first.does("main", "get JdkSync " + url));
        must("put 1", fenced.first.does("main", "put JdkSync " + url));
        Wire.Answer again = fenced.put(path, BadHeaders.good(item, Long.MAX_VALUE));
        assertThat(again.status()).as(again.text()).isEqualTo(403);
        must("put 1", fenced.first.does("main", "put JdkSync " + url));
        must("unlocked order:" + item, fenced.first.does("main", "unlock order:" + item));
        assertThat(fenced.receiver.process().said("^lockfence: .*(leap|ahead)"))
                .as("reported:\n%s", fenced.receiver.process().output())
                .isTrue();
    }

    /** The lock stays with its holder: requests under one living lease are never refused, however many and from wherever in the service. */
    @Test
    void aHealthyHolderIsNeverRefused() throws Exception {
        int item = fenced.nextItem();
        must("locked order:" + item, fenced.first.does("main", "lock order:" + item));
        for (int value = 0; value < 30; value++) {
            String path = List.of("/stock/", "/counts/", "/forward/", "/signed/stock/")
                            .get(value % 4)
                    + item;
            must("got " + value, fenced.first.does("main", "get JdkSync " + fenced.receiver.url(SERVER) + path));
            must("put " + (value + 1), fenced.first.does("main", "put JdkSync " + fenced.receiver.url(SERVER) + path));
        }
        must("unlocked order:" + item, fenced.first.does("main", "unlock order:" + item));
        assertThat(fenced.value(item)).isEqualTo(30);
    }
}
