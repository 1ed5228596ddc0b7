/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.methods;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.it.Scenario;
import io.lockfence.it.Service;
import io.lockfence.it.World;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A device that locks protect, by the method that sends to it: what a late holder sends does not arrive. */
class FencedMethodIT {
    private static final String RULES = """
            mode: enforce
            locks:
              - name: line
                acquire: com.example.homemade.JedisLock#tryLock(java.lang.String,long)
                resource: "lines/{arg0}"
                lease: arg1 ms
                release: com.example.homemade.JedisLock#unlock(java.lang.String)
            targets:
              - name: device
                method: com.example.homemade.Device#send(java.lang.String)
                afterRelease: reject
            """;

    /** What came of a run. */
    private static final class Seen {
        final List<String> received = new ArrayList<>();
        String late;
        String afterUnlock;
    }

    @Test
    void whatAHolderSendsAfterItsLeaseDoesNotArrive() throws Exception {
        Seen control = new Seen();
        Scenario.of(world -> stopBeforeSending(world, control)).rules(RULES).playUnfenced();
        assertThat(control.received)
                .as("without the agent the device obeys the late holder as well")
                .containsExactly("of-b", "late", "healthy", "after-unlock", "without-a-lock");

        Seen fenced = new Seen();
        Scenario.of(world -> stopBeforeSending(world, fenced)).rules(RULES).playFenced();
        assertThat(fenced.received).containsExactly("of-b", "healthy", "without-a-lock");
        assertThat(fenced.late)
                .startsWith("failed send: - FencedException: Lockfence refused this call to device (LF002, expired)");
        assertThat(fenced.afterUnlock)
                .startsWith("failed send: - FencedException: Lockfence refused this call to device (LF003, unleased)");
    }

    private static void stopBeforeSending(World world, Seen seen) throws Exception {
        Service a = world.homemade("a", "jedis", "--lease=6000");
        Service b = world.homemade("b", "jedis", "--lease=6000");
        for (Service service : List.of(a, b)) {
            service.tries("lock warm-up");
            service.tries("unlock warm-up");
        }
        a.does("lock 1");
        a.isStopped();
        b.does("lock 1");
        b.does("send of-b");
        b.does("unlock 1");
        a.wakesUp();
        seen.late = a.tries("send late");
        a.tries("unlock 1");
        a.does("lock 1");
        a.does("send healthy");
        a.does("unlock 1");
        seen.afterUnlock = a.tries("send after-unlock");
        a.does("@other send without-a-lock");
        seen.received.addAll(
                world.redis().command("LRANGE", "device", "0", "-1").lines().toList());
    }
}
