/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.lockfence.agent.config.Rules;
import io.lockfence.agent.config.RulesLoader;
import io.lockfence.agent.fence.Protocol;
import io.lockfence.agent.report.Log;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.bootstrap.Coordinator;
import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Proof;
import io.lockfence.bootstrap.Refusal;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.methods.MethodLinks;
import io.lockfence.instrumentation.methods.MethodPoint;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Methods that rules fence, woven into real classes and called under leases of the real protocol. */
class MethodTargetsTest {
    private static final String HERE = MethodTargetsTest.class.getName() + "$";
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Report report = new Report(Log.to("quiet"));
    private final List<String> owners = new ArrayList<>();
    private Protocol protocol;
    private int activeBefore;
    private boolean unleasedLookedAt;

    @AfterEach
    void nothingIsLeft() {
        owners.forEach(owner -> protocol.leases().releasing(owner));
        LeaseContext.endUnit(null);
        if (unleasedLookedAt) {
            LeaseContext.deactivate();
        }
        assertThat(LeaseContext.active()).isEqualTo(activeBefore);
        assertThat(report.counters().faults()).isZero();
    }

    /** What is sent somewhere. */
    public interface Device {
        void send(byte[] bytes);

        default void sendTwice(byte[] bytes) {
            send(bytes);
            send(bytes);
        }
    }

    public abstract static class Recording implements Device {
        public final List<String> sent = new ArrayList<>();

        public void log(String... words) {
            sent.add(String.join(" ", words));
        }

        public List<String> sent() {
            return sent;
        }
    }

    public static final class Plc extends Recording {
        @Override
        public void send(byte[] bytes) {
            sent.add("bytes " + bytes.length);
        }

        public void send(int number) {
            sent.add("number " + number);
        }

        public long status() {
            return sent.size();
        }

        public void fail() {
            throw new IllegalStateException("broken wire");
        }
    }

    /** Sends by another. */
    public static final class Retrying implements Device {
        private final Plc plc = new Plc();

        @Override
        public void send(byte[] bytes) {
            plc.send(bytes);
        }

        public List<String> sent() {
            return plc.sent;
        }
    }

    public static final class Statics {
        public static final List<String> SENT = new ArrayList<>();

        public static void send(byte[] bytes) {
            SENT.add("bytes " + bytes.length);
        }

        public static List<String> sent() {
            return SENT;
        }
    }

    /** A method that no agent can weave, beside one that it can. */
    public static class Half {
        public native void send(byte[] bytes);

        public int other() {
            return 1;
        }
    }

    /** Knows no numbers: the claim would issue them. */
    private enum Nobody implements Coordinator {
        KNOWS;

        @Override
        public CompletionStage<Proof> ask() {
            return CompletableFuture.failedFuture(new UnsupportedOperationException());
        }

        @Override
        public CompletionStage<Proof> raiseAbove(long token) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException());
        }

        @Override
        public boolean mints() {
            return false;
        }
    }

    /** Defines the fixtures anew, woven by rules. */
    private final class Woven extends ClassLoader {
        private final MethodWeaver weaver;

        Woven(String file, String target) throws Exception {
            super(MethodTargetsTest.class.getClassLoader());
            String locks = """
                    locks:
                      - {name: a, acquire: com.acme.Locks#a(), resource: a, lease: 1s, protects: [plc]}
                      - {name: shadow, mode: shadow, acquire: com.acme.Locks#s(), resource: s, lease: 1s, protects: [plc]}
                      - {name: leader, scope: process, acquire: com.acme.Locks#l(), resource: l, lease: 1s, protects: [plc]}
                      - {name: stranger, acquire: com.acme.Locks#t(), resource: t, lease: 1s, protects: [other]}
                    targets:
                      - {name: other, method: com.acme.Other#send()}
                      - name: plc
                    """;
            Rules rules = RulesLoader.parse(
                    file + "\n" + locks + target.replace("HERE$", HERE).indent(4), "lockfence.yaml");
            activeBefore = LeaseContext.active();
            protocol = new Protocol(rules, report);
            unleasedLookedAt = target.contains("unleased: re");
            Seams.connect(protocol.leases(), protocol.transactions(), report::fault);
            List<MethodPoint> points = MethodPoints.of(rules);
            AdviceLinker.methodLinker(new MethodLinks(points));
            weaver = new MethodWeaver(points, new MethodStatus(report, protocol.transactions()));
        }

        Woven(String target) throws Exception {
            this("mode: enforce", target);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null || !name.startsWith(HERE)) {
                return loaded != null ? loaded : super.loadClass(name, resolve);
            }
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                List<MethodPoint> points = weaver.of(this, name.replace('.', '/'), bytes);
                if (!points.isEmpty()) {
                    Weaving.Result result = Weaving.weave(name, bytes, this, List.of(), points);
                    weaver.report(name, result, points);
                    bytes = result.bytes() == null ? bytes : result.bytes();
                }
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        Object make(String simpleName) throws Exception {
            return loadClass(HERE + simpleName).getConstructor().newInstance();
        }
    }

    private static Object call(Object target, String method, Object... arguments) {
        Class<?> type = target instanceof Class<?> statics ? statics : target.getClass();
        for (Method candidate : type.getMethods()) {
            if (candidate.getName().equals(method)
                    && candidate.getParameterCount() == arguments.length
                    && (arguments.length == 0 || fits(candidate.getParameterTypes()[0], arguments[0]))
                    && !candidate.isBridge()) {
                try {
                    return candidate.invoke(target, arguments);
                } catch (InvocationTargetException e) {
                    throw (RuntimeException) e.getCause();
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
        throw new AssertionError("no method " + method);
    }

    private static boolean fits(Class<?> type, Object argument) {
        return type == int.class ? argument instanceof Integer : type.isInstance(argument);
    }

    private static void send(Object device) {
        call(device, "send", (Object) new byte[3]);
    }

    @SuppressWarnings("unchecked")
    private static List<String> sent(Object device) {
        return (List<String>) call(device, "sent");
    }

    /** Takes a lock on this thread. */
    private Lease take(String rule, Duration lease) {
        String owner = "owner " + owners.size();
        owners.add(owner);
        return protocol.leases()
                .acquired(new Acquisition(
                        "method rule " + rule,
                        "lock of " + rule,
                        owner,
                        LeaseContext.ofCurrentThread(),
                        true,
                        new Proof(System.nanoTime(), true, 0, lease.toNanos(), 1),
                        null,
                        true,
                        Nobody.KNOWS));
    }

    private void giveBack() {
        protocol.leases().releasing(owners.remove(owners.size() - 1));
    }

    private static void refused(Refusal kind, Runnable call) {
        FencedException e = catchThrowableOfType(FencedException.class, call::run);
        assertThat(e).as("the call was not refused").isNotNull();
        assertThat(e.refusal()).isEqualTo(kind);
    }

    private static final String SEND = "method: HERE$Device#send(byte[])\n";

    @Test
    void aCallPassesWhileTheLeaseLivesAndIsRefusedBeforeItRunsOnceItHasExpired() throws Exception {
        Object plc = new Woven(SEND).make("Plc");

        take("a", MINUTE);
        send(plc);
        take("a", Duration.ZERO);

        assertThatThrownBy(() -> send(plc))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining("refused this call to plc (LF002, expired)")
                .hasMessageContaining("the lease has ended");
        assertThat(sent(plc)).containsExactly("bytes 3");
        assertThat(report.counters().refused()).isEqualTo(Map.of(Refusal.EXPIRED, 1L));
    }

    @Test
    void aCallIsRefusedOnceTheCoordinatorSaysThatTheLockIsLost() throws Exception {
        Object plc = new Woven(SEND).make("Plc");

        take("a", MINUTE);
        protocol.leases().lost(owners.get(0), "somebody else has it");

        refused(Refusal.EXPIRED, () -> send(plc));
        assertThat(sent(plc)).isEmpty();
    }

    @Test
    void aDeadlineThatIsNotTheCallsOwnIsNoneOfItsBusiness() throws Exception {
        Object plc = new Woven(SEND).make("Plc");

        take("stranger", Duration.ZERO);
        send(plc);

        assertThat(sent(plc)).hasSize(1);
    }

    @Test
    void whatTheMethodThrowsPasses() throws Exception {
        Object plc = new Woven("method: HERE$Plc#fail()").make("Plc");
        take("a", MINUTE);

        assertThatThrownBy(() -> call(plc, "fail")).hasMessage("broken wire");
    }

    @Test
    void overloadsStaticMethodsAndVarargsAreToldApart() throws Exception {
        Woven woven = new Woven("""
                method:
                  - HERE$Plc#send(int)
                  - HERE$Statics#send(byte[])
                  - HERE$Recording#log(java.lang.String...)
                  - HERE$Plc#status()
                """);
        Object plc = woven.make("Plc");
        Class<?> statics = woven.loadClass(HERE + "Statics");
        take("a", Duration.ZERO);

        send(plc);
        refused(Refusal.EXPIRED, () -> call(plc, "send", 7));
        refused(Refusal.EXPIRED, () -> send(statics));
        refused(Refusal.EXPIRED, () -> call(plc, "log", (Object) new String[] {"a", "b"}));
        refused(Refusal.EXPIRED, () -> call(plc, "status"));

        assertThat(sent(plc)).containsExactly("bytes 3");
        assertThat(sent(statics)).isEmpty();
    }

    @Test
    void everyImplementationOfAnInterfaceAndItsDefaultMethodsAreFenced() throws Exception {
        Woven woven = new Woven("method: ['HERE$Device#send(byte[])', 'HERE$Device#sendTwice(byte[])']");
        Object plc = woven.make("Plc");
        Object retrying = woven.make("Retrying");
        take("a", MINUTE);
        call(plc, "sendTwice", (Object) new byte[1]);
        send(retrying);
        take("a", Duration.ZERO);

        refused(Refusal.EXPIRED, () -> call(plc, "sendTwice", (Object) new byte[1]));
        refused(Refusal.EXPIRED, () -> send(retrying));

        assertThat(sent(plc)).hasSize(2);
        assertThat(sent(retrying)).hasSize(1);
        assertThat(report.counters().refused()).isEqualTo(Map.of(Refusal.EXPIRED, 2L));
    }

    @Test
    void inShadowModeCallsPassAndEachOutermostIsReportedOnce() throws Exception {
        Woven woven = new Woven("method: ['HERE$Device#send(byte[])', 'HERE$Device#sendTwice(byte[])']");
        Object plc = woven.make("Plc");
        take("shadow", Duration.ZERO);

        call(plc, "sendTwice", (Object) new byte[1]);
        send(plc);
        send(plc);

        assertThat(sent(plc)).hasSize(4);
        assertThat(report.counters().wouldHaveRefused()).isEqualTo(Map.of(Refusal.EXPIRED, 3L));
        assertThat(report.counters().refused()).isEmpty();
    }

    @Test
    void anEnforcedLeaseRefusesBesideOneInShadow() throws Exception {
        Object plc = new Woven(SEND).make("Plc");
        take("shadow", Duration.ZERO);
        take("a", Duration.ZERO);

        refused(Refusal.EXPIRED, () -> send(plc));
    }

    @Test
    void aCallUnderNoLeasePasses() throws Exception {
        Object plc = new Woven(SEND).make("Plc");

        send(plc);
        take("stranger", MINUTE);
        send(plc);

        assertThat(sent(plc)).hasSize(2);
        assertThat(report.counters().unleased()).isZero();
    }

    @Test
    void aCallUnderNoLeaseIsReportedOnce() throws Exception {
        Object plc = new Woven(
                        "unleased: report\nmethod: ['HERE$Device#send(byte[])', 'HERE$Device#sendTwice(byte[])']")
                .make("Plc");

        call(plc, "sendTwice", (Object) new byte[1]);
        take("a", MINUTE);
        send(plc);

        assertThat(sent(plc)).hasSize(3);
        assertThat(report.counters().unleased()).isEqualTo(1);
    }

    @Test
    void aCallUnderNoLeaseIsRefused() throws Exception {
        Object plc = new Woven("unleased: reject\n" + SEND).make("Plc");

        assertThatThrownBy(() -> send(plc))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining("refused this call to plc (LF003, unleased)");
        take("a", MINUTE);
        send(plc);

        assertThat(sent(plc)).hasSize(1);
    }

    @Test
    void aCallUnderNoLeaseIsOnlyReportedWhereTheFileDoesNotEnforce() throws Exception {
        Object plc = new Woven("mode: shadow", "unleased: reject\n" + SEND).make("Plc");

        send(plc);

        assertThat(sent(plc)).hasSize(1);
        assertThat(report.counters().wouldHaveRefused()).isEqualTo(Map.of(Refusal.UNLEASED, 1L));
    }

    @Test
    void workThatOutlivesItsLeaseIsReportedAndPasses() throws Exception {
        Object plc = new Woven(SEND).make("Plc");

        take("a", MINUTE);
        giveBack();
        send(plc);
        send(plc);

        assertThat(sent(plc)).hasSize(2);
        assertThat(report.counters().unleased()).isEqualTo(2);
    }

    @Test
    void workThatOutlivesItsLeaseIsRefusedUntilItsUnitEndsOrItTakesTheLockAgain() throws Exception {
        Object plc = new Woven("afterRelease: reject\n" + SEND).make("Plc");

        take("a", MINUTE);
        giveBack();
        assertThatThrownBy(() -> send(plc))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining("refused this call to plc (LF003, unleased)")
                .hasMessageContaining("afterRelease: reject");
        take("a", MINUTE);
        send(plc);
        giveBack();
        refused(Refusal.UNLEASED, () -> send(plc));
        LeaseContext.endUnit(null);
        send(plc);

        assertThat(sent(plc)).hasSize(2);
        assertThat(LeaseContext.active()).isEqualTo(activeBefore);
    }

    @Test
    void anotherUnitOfTheSameThreadDoesNotOutliveWhatIsNotItsOwn() throws Exception {
        Object plc = new Woven("afterRelease: reject\n" + SEND).make("Plc");
        take("a", MINUTE);
        giveBack();

        LeaseContext before = LeaseContext.beginUnit();
        send(plc);
        LeaseContext.endUnit(before);

        refused(Refusal.UNLEASED, () -> send(plc));
    }

    @Test
    void theReleaseOfALockThatDoesNotProtectItIsNoneOfItsBusiness() throws Exception {
        Object plc = new Woven("afterRelease: reject\n" + SEND).make("Plc");
        take("a", MINUTE);
        take("stranger", MINUTE);
        giveBack();

        send(plc);

        assertThat(sent(plc)).hasSize(1);
    }

    @Test
    void workMayOutliveItsLeaseWhereTheRulesAllowIt() throws Exception {
        Object plc = new Woven("afterRelease: allow\n" + SEND).make("Plc");

        take("a", MINUTE);
        giveBack();
        assertThat(LeaseContext.active()).isEqualTo(activeBefore);
        send(plc);

        assertThat(sent(plc)).hasSize(1);
        assertThat(report.counters().unleased()).isZero();
    }

    @Test
    void theStricterOfTheTwoRulesOnCallsUnderNoLeaseDecides() throws Exception {
        Object plc = new Woven("afterRelease: allow\nunleased: reject\n" + SEND).make("Plc");

        take("a", MINUTE);
        giveBack();

        refused(Refusal.UNLEASED, () -> send(plc));
    }

    @Test
    void inShadowModeWorkThatOutlivesItsLeaseIsOnlyReported() throws Exception {
        Object plc = new Woven("afterRelease: reject\n" + SEND).make("Plc");

        take("shadow", MINUTE);
        giveBack();
        send(plc);

        assertThat(sent(plc)).hasSize(1);
        assertThat(report.counters().wouldHaveRefused()).isEqualTo(Map.of(Refusal.UNLEASED, 1L));
    }

    @Test
    void afterTheReleaseOfALeaseOfTheProcessAllItsThreadsOutliveItUntilThereIsAnother() throws Exception {
        Object plc = new Woven("afterRelease: reject\n" + SEND).make("Plc");

        send(plc);
        take("leader", MINUTE);
        elsewhere(() -> send(plc));
        giveBack();
        elsewhere(() -> refused(Refusal.UNLEASED, () -> send(plc)));
        take("leader", MINUTE);
        elsewhere(() -> send(plc));
        take("leader", Duration.ZERO);
        elsewhere(() -> refused(Refusal.EXPIRED, () -> send(plc)));

        assertThat(sent(plc)).hasSize(3);
        activeBefore++;
    }

    private static void elsewhere(Runnable work) throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Throwable t) {
                thrown.add(t);
            }
        });
        thread.start();
        thread.join();
        assertThat(thrown).isEmpty();
    }

    @Test
    void whatEndedThreadsKeptIsForgotten() throws Exception {
        new Woven(SEND).make("Plc");
        Thread thread = new Thread(() -> {
            take("a", MINUTE);
            giveBack();
        });
        thread.start();
        thread.join();
        assertThat(LeaseContext.active()).isEqualTo(activeBefore + 1);

        LeaseContext.forgetEnded();

        assertThat(LeaseContext.active()).isEqualTo(activeBefore);
    }

    @Test
    void aMethodThatIsNotThereIsReportedAndTheRestOfItsTargetIsRefusedUnderItsLeases() throws Exception {
        Object plc = new Woven("method: ['HERE$Plc#send(byte[])', 'HERE$Plc#transmit(byte[])']").make("Plc");

        assertThat(report.libraries().get("method target plc"))
                .startsWith("INACTIVE")
                .contains("there is no method")
                .contains("Plc#transmit(byte[])");
        send(plc);
        take("a", MINUTE);
        assertThatThrownBy(() -> send(plc))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining("LF004")
                .hasMessageContaining("a method of this target is not woven");
        assertThat(sent(plc)).hasSize(1);
    }

    @Test
    void aNativeMethodIsReported() throws Exception {
        new Woven("method: HERE$Half#send(byte[])").make("Half");

        assertThat(report.libraries().get("method target plc")).contains("is native and cannot be woven");
    }

    @Test
    void aMethodThatWasFoundIsReportedAsWoven() throws Exception {
        new Woven(SEND).make("Plc");

        assertThat(report.libraries()).containsEntry("method target plc", "active, full");
    }

    @Test
    void withNoLeaseAnywhereACallAllocatesNothing() throws Exception {
        Object plc = new Woven("method: HERE$Plc#status()").make("Plc");
        Runnable call = statusOf(plc);
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        for (int i = 0; i < 20_000; i++) {
            call.run();
        }

        long before = threads.getThreadAllocatedBytes(thread);
        for (int i = 0; i < 10_000; i++) {
            call.run();
        }
        long allocated = threads.getThreadAllocatedBytes(thread) - before;

        assertThat(allocated).isLessThan(10_000);
        assertThatCode(call::run).doesNotThrowAnyException();
    }

    private static Runnable statusOf(Object plc) throws Exception {
        java.lang.invoke.MethodHandle handle = java.lang.invoke.MethodHandles.publicLookup()
                .unreflect(plc.getClass().getMethod("status"))
                .bindTo(plc);
        return () -> {
            try {
                long status = (long) handle.invokeExact();
                assert status >= 0;
            } catch (Throwable t) {
                throw new AssertionError(t);
            }
        };
    }
}
