/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.methods;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.it.Result;
import io.lockfence.it.Scenario;
import io.lockfence.it.Service;
import io.lockfence.it.World;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks of the service's own, fenced by rules that name their methods: a holder that is stopped beyond its lease loses no update of another. */
class HomemadeLocksIT {
    private static final String HEAD = """
            mode: enforce
            targets:
              - name: stock-db
                jdbc: "jdbc:postgresql://**"
            locks:
              - name: orders
                resource: "orders/{arg0}"
            """;

    private static final String JEDIS = HEAD + """
                acquire: com.example.homemade.JedisLock#tryLock(java.lang.String,long)
                lease: arg1 ms
                renew: com.example.homemade.JedisLock#extend(java.lang.String,long)
                release: com.example.homemade.JedisLock#unlock(java.lang.String)
            """;

    private static final String LETTUCE = HEAD + """
                acquire: com.example.homemade.LettuceLock#tryAcquire(java.lang.String,java.time.Duration)
                lease: arg1
                renew: com.example.homemade.LettuceLock#extend(java.lang.String,java.time.Duration)
                release: com.example.homemade.LettuceLock#release(java.lang.String)
            """;

    private static final String ROW = HEAD + """
                acquire: com.example.homemade.RowLock#acquire(java.lang.String,java.time.Duration)
                lease: arg1
                token: result.number
                renew: com.example.homemade.RowLock#extend(java.lang.String,java.time.Duration)
                release: com.example.homemade.RowLock#release(java.lang.String)
            """;

    private static final String ASYNC = HEAD + """
                acquire: com.example.homemade.AsyncLock#acquireAsync(java.lang.String,java.time.Duration)
                lease: arg1
                renew: com.example.homemade.AsyncLock#extendAsync(java.lang.String,java.time.Duration)
                release: com.example.homemade.AsyncLock#releaseAsync(java.lang.String)
            """;

    private static final String LEADER = JEDIS + "    scope: process\n";

    private static final String CLIENT = HEAD + """
                acquire: com.example.homemade.LockClient#acquire(java.lang.String,java.time.Duration)
                lease: arg1
                renew: com.example.homemade.LockClient#extend(java.lang.String,java.time.Duration)
                release: com.example.homemade.LockClient#release(java.lang.String)
            """;

    @Test
    void setnxByJedis() throws Exception {
        stoppedBetweenReadAndWrite("jedis", JEDIS);
    }

    @Test
    void setnxByLettuce() throws Exception {
        stoppedBetweenReadAndWrite("lettuce", LETTUCE);
    }

    @Test
    void rowWithOwnerExpiryAndNumber() throws Exception {
        stoppedBetweenReadAndWrite("row", ROW);
    }

    @Test
    void clientThatReturnsACompletableFuture() throws Exception {
        stoppedBetweenReadAndWrite("async", ASYNC);
    }

    /** One rule on the interface; the service has a proxy in its hands. */
    @ParameterizedTest
    @ValueSource(strings = {"client-jedis", "client-lettuce", "client-row"})
    void everyImplementationOfAnInterface(String lock) throws Exception {
        stoppedBetweenReadAndWrite(lock, CLIENT);
    }

    /** Leadership: one thread is elected, another does the work. */
    @Test
    void leaderOfAProcess() throws Exception {
        Result result = Scenario.of(HomemadeLocksIT::twoTerms).rules(LEADER).play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped leader");
        assertThat(result.increments()).isEqualTo(3);
    }

    private static void twoTerms(World world) throws InterruptedException {
        Service a = world.homemade("a", "jedis");
        Service b = world.homemade("b", "jedis");
        warmedUp(a);
        warmedUp(b);
        a.does("@elector lock leader");
        works(a);
        a.does("begin");
        a.does("read 1");
        a.isStopped();
        b.does("@elector lock leader");
        works(b);
        a.wakesUp();
        a.tries("write 1");
        a.tries("commit");
        a.tries("rollback");
        a.tries("@elector unlock leader");
        b.does("@elector unlock leader");
        a.does("@elector lock leader");
        works(a);
    }

    private static void works(Service leader) throws InterruptedException {
        for (String command : new String[] {"begin", "read 1", "write 1", "commit"}) {
            leader.does(command);
        }
    }

    private static void stoppedBetweenReadAndWrite(String lock, String rules) throws Exception {
        Result result = Scenario.of(world -> stopBetweenReadAndWrite(world, lock))
                .rules(rules)
                .play();
        assertThat(result.refusals()).isNotEmpty().allMatch(line -> line.startsWith("a: "), "only the stopped holder");
        assertThat(result.increments()).isEqualTo(3);
    }

    private static void stopBetweenReadAndWrite(World world, String lock) throws InterruptedException {
        Service a = world.homemade("a", lock);
        Service b = world.homemade("b", lock);
        warmedUp(a);
        warmedUp(b);
        a.does("lock 1");
        a.does("begin");
        a.does("read 1");
        a.isStopped();
        b.does("increment 1 1");
        b.does("increment 1 1");
        a.wakesUp();
        a.tries("write 1");
        a.tries("commit");
        a.tries("rollback");
        a.tries("unlock 1");
        b.does("increment 1 1");
    }

    /** What a JVM loads and connects at its first use takes a busy machine longer than a lease. */
    private static void warmedUp(Service service) throws InterruptedException {
        for (String command : new String[] {"lock warm-up", "begin", "read 1", "rollback", "unlock warm-up"}) {
            service.tries(command);
        }
    }
}
