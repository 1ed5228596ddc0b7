/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.agent.config.RulesLoader;
import io.lockfence.agent.fence.Protocol;
import io.lockfence.agent.report.Log;
import io.lockfence.agent.report.Report;
import io.lockfence.bootstrap.Acquisition;
import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.bootstrap.Deadline;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.LeaseEvents;
import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.methods.MethodLinks;
import io.lockfence.instrumentation.methods.MethodPoint;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Methods that rules name, woven into real classes and called. */
class MethodWeavingTest {
    private static final String HERE = MethodWeavingTest.class.getName() + "$";

    private final Told told = new Told();
    private boolean blind;
    private final List<String> problems = new ArrayList<>();

    @BeforeEach
    void connect() {
        LeaseContext.activate();
        Seams.connect(told, null, fault -> {
            throw new AssertionError(fault);
        });
    }

    /** Nothing else makes a JVM see again; other tests share this one. */
    @AfterEach
    void seeAgain() throws ReflectiveOperationException {
        if (blind) {
            Field blindUntil = Seams.class.getDeclaredField("blindUntil");
            blindUntil.setAccessible(true);
            blindUntil.setInt(null, 0);
        }
    }

    @AfterEach
    void disconnect() {
        LeaseContext.deactivate();
        for (Lease lease : LeaseContext.ofCurrentThread().leases()) {
            LeaseContext.ofCurrentThread().detach(lease);
        }
    }

    /** What a lock hands out. */
    public record Grant(String name, long number) {}

    /** Ways to take a lock. */
    public static class Locks {
        public boolean answer = true;
        private final Key key = new Key("k7");

        public boolean tryLock(String name, Duration lease) {
            return answer;
        }

        public boolean tryLock(String name) {
            return tryLock(name, Duration.ofSeconds(5));
        }

        public boolean extend(String name, Duration lease) {
            return answer;
        }

        public void unlock(String name) {}

        public boolean giveBack(String name) {
            return answer;
        }

        public int rowsProlonged(String name) {
            return 0;
        }

        public static boolean tryStatic(String name, long amount, TimeUnit unit) {
            return true;
        }

        public Grant grant(String name, long millis) {
            return answer ? new Grant(name, 17) : null;
        }

        public Optional<Grant> offer(String name) {
            return answer ? Optional.of(new Grant(name, 18)) : Optional.empty();
        }

        public void lock(Key key) {
            if (!answer) {
                throw new IllegalStateException("taken");
            }
        }

        public void varied(String... names) {}

        public void fails(String name) {
            unlock(name);
        }

        public int rows(String name) {
            return 1;
        }

        public native boolean elsewhere(String name);
    }

    /** With a getter, a field and a private one. */
    public static final class Key {
        public final String id;
        private final String hidden = "h";

        public Key(String id) {
            this.id = id;
        }

        public String getName() {
            return "n" + id;
        }

        public Key next() {
            return null;
        }

        String hidden() {
            return hidden;
        }
    }

    public interface Client<K> {
        boolean take(K key);

        default boolean takeTwice(K key) {
            return take(key);
        }
    }

    public abstract static class Base implements Client<String> {
        @Override
        public abstract boolean take(String key);
    }

    public static final class First extends Base {
        @Override
        public boolean take(String key) {
            return true;
        }
    }

    public static final class Second implements Client<String> {
        private final Client<String> delegate = new First();

        @Override
        public boolean take(String key) {
            return delegate.take(key);
        }
    }

    public static class Stranger {
        public boolean take(Object key) {
            return true;
        }
    }

    public static final class Adopted extends Stranger implements Client<Object> {}

    public static class Heir extends Locks {}

    /** As a framework generates it: without the types of generics. */
    @SuppressWarnings({"rawtypes", "unchecked"})
    public static class Locks$$SpringCGLIB$$0 extends Locks {
        @Override
        public Optional offer(String name) {
            return super.offer(name);
        }
    }

    /** Takes locks in the background; every answer is what the test completes. */
    public static class AsyncLocks {
        public CompletableFuture<Boolean> answer = new CompletableFuture<>();

        public CompletableFuture<Boolean> tryLockAsync(String name, Duration lease) {
            return answer;
        }

        public CompletableFuture<Boolean> tryLockAsync(String name) {
            return tryLockAsync(name, Duration.ofSeconds(5)).thenApply(held -> held);
        }

        public CompletionStage<Optional<Grant>> grantAsync(String name, long millis) {
            return answer.thenApply(held -> held ? Optional.of(new Grant(name, 19)) : Optional.<Grant>empty())
                    .minimalCompletionStage();
        }

        public CompletionStage<Boolean> extendAsync(String name, Duration lease) {
            return answer;
        }

        public CompletableFuture<Boolean> unlockAsync(String name) {
            return answer;
        }

        public Future<Boolean> inTheBackground(String name) {
            return answer;
        }

        public CompletableFuture<Void> lockAsync(String name) {
            return answer.thenAccept(held -> {});
        }
    }

    /** What the seam was told. */
    private static final class Told implements LeaseEvents {
        final List<Acquisition> acquired = new ArrayList<>();
        final List<String> events = new ArrayList<>();
        final List<String> prolonged = new ArrayList<>();
        boolean off;
        final Map<String, Lease> leases = new ConcurrentHashMap<>();

        @Override
        public boolean watches(String library, String lock) {
            return true;
        }

        @Override
        public boolean asks(String library, String lock) {
            return false;
        }

        @Override
        public boolean claimsAtAcquire(String library, String lock) {
            return false;
        }

        @Override
        public Lease acquired(Acquisition acquisition) {
            acquired.add(acquisition);
            events.add("acquired " + acquisition.lock() + " "
                    + (acquisition.proof() == null
                            ? acquisition.failure()
                            : acquisition.proof().holdCount() + " token "
                                    + acquisition.proof().token() + " for "
                                    + Duration.ofNanos(acquisition.proof().timeLeftNanos())));
            if (off) {
                return null;
            }
            Lease lease = leases.computeIfAbsent(
                    acquisition.owner(),
                    owner -> new Lease(
                            acquisition.lock(),
                            acquisition.lock(),
                            "id",
                            owner,
                            0,
                            0,
                            acquisition.proof() == null
                                    ? new Deadline(System.nanoTime(), 0)
                                    : new Deadline(
                                            acquisition.proof().sentAt(),
                                            acquisition.proof().timeLeftNanos())));
            if (acquisition.context() != null) {
                acquisition.context().attach(lease);
            }
            return lease;
        }

        @Override
        public void renewed(String owner, long sentAt, long grantedNanos) {
            prolonged.add(owner);
            events.add("renewed " + lock(owner) + " for " + Duration.ofNanos(grantedNanos));
        }

        @Override
        public void shortened(String owner, long sentAt, long grantedNanos) {
            prolonged.add(owner);
            events.add("shortened " + lock(owner) + " to " + Duration.ofNanos(grantedNanos));
        }

        @Override
        public void lost(String owner, String why) {
            events.add("lost " + lock(owner));
            leases.get(owner).die(Lease.Death.LOST, why);
        }

        @Override
        public void told(String owner) {}

        @Override
        public boolean releasing(String owner) {
            events.add("releasing " + lock(owner));
            return true;
        }

        private String lock(String owner) {
            return leases.get(owner).lock();
        }

        @Override
        public void unknown(String library, String lock, String owner) {
            events.add("unknown " + lock);
        }

        @Override
        public void unsupported(String library, String type, String lock) {}

        @Override
        public void degraded(String library, String why) {
            events.add("degraded " + why);
        }

        @Override
        public void leftOver(Lease[] leases, String place) {}

        @Override
        public void taskEnded(LeaseContext context) {}
    }

    /** Defines the fixtures anew, woven by rules. */
    private final class Woven extends ClassLoader {
        private final MethodWeaver weaver;

        Woven(String rule) throws Exception {
            super(MethodWeavingTest.class.getClassLoader());
            String yaml = "mode: enforce\nlocks:\n  - name: r\n"
                    + rule.replace("HERE$", HERE).indent(4);
            io.lockfence.agent.config.Rules rules = RulesLoader.parse(yaml, "lockfence.yaml");
            Report report = new Report(Log.to("quiet"));
            List<MethodPoint> points = MethodPoints.of(rules);
            AdviceLinker.methodLinker(new MethodLinks(points));
            weaver = new MethodWeaver(points, new MethodStatus(report, new Protocol(rules, report).transactions()));
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
                    Collection<String> wrong = result.problems().values();
                    problems.addAll(wrong);
                    bytes = result.bytes() == null ? bytes : result.bytes();
                }
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        Object make(String simpleName, Object... arguments) throws Exception {
            return loadClass(HERE + simpleName).getConstructors()[0].newInstance(arguments);
        }
    }

    private static Object call(Object target, String method, Object... arguments) throws Exception {
        return callOn(target.getClass(), target, method, arguments);
    }

    private static Object callOn(Class<?> type, Object target, String method, Object... arguments) throws Exception {
        for (Method candidate : type.getMethods()) {
            if (candidate.getName().equals(method)
                    && candidate.getParameterCount() == arguments.length
                    && !candidate.isBridge()) {
                try {
                    return candidate.invoke(target, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause() instanceof Exception exception ? exception : e;
                }
            }
        }
        throw new NoSuchMethodException(method);
    }

    private static final String DURATION = """
            acquire: HERE$Locks#tryLock(java.lang.String,java.time.Duration)
            renew: HERE$Locks#extend(java.lang.String,java.time.Duration)
            release: HERE$Locks#unlock(java.lang.String)
            resource: "locks/{arg0}"
            lease: arg1
            """;

    @Test
    void aLockIsTakenProlongedAndGivenBack() throws Exception {
        Object locks = new Woven(DURATION).make("Locks");

        call(locks, "tryLock", "a", Duration.ofSeconds(3));
        call(locks, "extend", "a", Duration.ofSeconds(4));
        call(locks, "extend", "a", Duration.ofSeconds(1));
        call(locks, "unlock", "a");

        assertThat(told.events)
                .containsExactly(
                        "acquired locks/a 1 token 0 for PT3S",
                        "renewed locks/a for PT4S",
                        "shortened locks/a to PT1S",
                        "releasing locks/a");
        assertThat(told.acquired.get(0).coordinator().mints()).isFalse();
        assertThat(problems).isEmpty();
    }

    @Test
    void whatIsNotHeldIsNoLease() throws Exception {
        Object locks = new Woven(DURATION).make("Locks");
        locks.getClass().getField("answer").set(locks, false);

        call(locks, "tryLock", "a", Duration.ofSeconds(3));
        call(locks, "extend", "a", Duration.ofSeconds(4));
        call(locks, "unlock", "a");

        assertThat(told.events).isEmpty();
    }

    @Test
    void aThreadThatEntersOnceMoreKeepsItsLease() throws Exception {
        Object locks = new Woven(DURATION).make("Locks");

        call(locks, "tryLock", "a", Duration.ofSeconds(30));
        call(locks, "tryLock", "b", Duration.ofSeconds(30));
        call(locks, "tryLock", "a", Duration.ofSeconds(30));
        call(locks, "unlock", "a");
        call(locks, "unlock", "a");
        call(locks, "unlock", "a");

        assertThat(told.events)
                .containsExactly(
                        "acquired locks/a 1 token 0 for PT30S",
                        "acquired locks/b 1 token 0 for PT30S",
                        "acquired locks/a 2 token 0 for PT30S",
                        "releasing locks/a",
                        "releasing locks/a");
        assertThat(told.acquired.get(2).owner()).isEqualTo(told.acquired.get(0).owner());
    }

    /** Whether the old lease stays on the thread until a release of its own is for the books to say (DESIGN P1). */
    @Test
    void aHoldThatHasRunOutIsNotEnteredButGivesItsPlaceToTheNextOne() throws Exception {
        Object locks = new Woven(DURATION).make("Locks");

        call(locks, "tryLock", "a", Duration.ZERO);
        call(locks, "tryLock", "a", LEASE);
        call(locks, "unlock", "a");
        call(locks, "unlock", "a");

        assertThat(told.acquired.get(1).owner()).isEqualTo(told.acquired.get(0).owner());
        assertThat(told.acquired.get(1).proof().holdCount()).isEqualTo(1);
        assertThat(told.events.subList(2, 4)).containsExactly("releasing locks/a", "releasing locks/a");
    }

    @Test
    void anOverloadThatCallsAnotherIsOneLease() throws Exception {
        Object locks = new Woven("""
                acquire:
                  - HERE$Locks#tryLock(java.lang.String,java.time.Duration)
                  - HERE$Locks#tryLock(java.lang.String)
                resource: "locks/{arg0}"
                lease: 9s
                """).make("Locks");

        call(locks, "tryLock", "a");

        assertThat(told.events).containsExactly("acquired locks/a 1 token 0 for PT9S");
    }

    @Test
    void aMarkerThatNothingGivesBackIsTakenAgainByItsOwner() throws Exception {
        Object locks = new Woven("""
                acquire: HERE$Locks#tryLock(java.lang.String,java.time.Duration)
                resource: "locks/{arg0}"
                lease: arg1
                """).make("Locks");

        call(locks, "tryLock", "a", Duration.ZERO);
        call(locks, "tryLock", "a", Duration.ofSeconds(30));

        assertThat(told.acquired.get(1).owner()).isEqualTo(told.acquired.get(0).owner());
        assertThat(told.acquired.get(1).proof().holdCount()).isEqualTo(1);
        assertThat(told.acquired.get(1).explicitLease()).isTrue();
    }

    @Test
    void staticMethodsAndTimesWithTheirUnit() throws Exception {
        Class<?> locks = new Woven("""
                acquire: HERE$Locks#tryStatic(java.lang.String,long,java.util.concurrent.TimeUnit)
                resource: "locks/{arg0}"
                lease: arg1 arg2
                """).loadClass(HERE + "Locks");

        callOn(locks, null, "tryStatic", "a", 2L, TimeUnit.MINUTES);

        assertThat(told.events).containsExactly("acquired locks/a 1 token 0 for PT2M");
    }

    @Test
    void aTokenOfTheLocksOwn() throws Exception {
        Object locks = new Woven("""
                acquire: HERE$Locks#grant(java.lang.String,long)
                resource: "locks/{arg0}"
                lease: arg1 ms
                token: result.number
                """).make("Locks");

        call(locks, "grant", "a", 1500L);

        assertThat(told.events).containsExactly("acquired locks/a 1 token 17 for PT1.5S");
        assertThat(told.acquired.get(0).coordinator().mints()).isTrue();
    }

    @Test
    void anOptionalIsHeldIfSomethingIsInIt() throws Exception {
        Object locks = new Woven("""
                acquire: HERE$Locks#offer(java.lang.String)
                resource: "locks/{result.name}"
                token: result.number
                """).make("Locks");

        call(locks, "offer", "a");
        locks.getClass().getField("answer").set(locks, false);
        call(locks, "offer", "b");

        assertThat(told.events).hasSize(1).first().asString().startsWith("acquired locks/a 1 token 18 for PT");
    }

    @Test
    void pathsReadGettersMethodsAndFields() throws Exception {
        Woven woven = new Woven("""
                acquire: HERE$Locks#lock(HERE$Key)
                when: always
                resource: "{arg0.id}/{arg0.name}/{arg0.hidden}/{this.key.id}"
                lease: 3s
                """);
        Object locks = woven.make("Locks");

        call(locks, "lock", woven.make("Key", "7"));
        locks.getClass().getField("answer").set(locks, false);
        assertThatThrownBy(() -> call(locks, "lock", woven.make("Key", "8"))).hasMessage("taken");

        assertThat(told.events).containsExactly("acquired 7/n7/h/k7 1 token 0 for PT3S");
    }

    @Test
    void whatIsNullIsEmptyInAName() throws Exception {
        Object locks = new Woven("""
                acquire: HERE$Locks#lock(HERE$Key)
                when: always
                resource: "locks/{arg0.next.next.id}"
                lease: 3s
                """).make("Locks");

        call(locks, "lock", new Object[] {null});

        assertThat(told.events).containsExactly("acquired locks/ 1 token 0 for PT3S");
    }

    @Test
    void aTimeThatIsNullMakesTheLeaseUnusable() throws Exception {
        Object locks = new Woven(DURATION).make("Locks");

        call(locks, "tryLock", "a", null);

        assertThat(told.events)
                .containsExactly("acquired locks/a its call could not be read: its lease time arg1 is null");
    }

    @Test
    void everyImplementationOfAnInterfaceIsWovenAndNestedCallsAreOneLease() throws Exception {
        Woven woven = new Woven("""
                acquire: HERE$Client#take(java.lang.Object)
                resource: "locks/{arg0}"
                lease: 3s
                """);

        call(woven.make("First"), "take", "a");
        call(woven.make("Second"), "take", "b");
        call(woven.make("First"), "takeTwice", "c");

        assertThat(told.events)
                .containsExactly(
                        "acquired locks/a 1 token 0 for PT3S",
                        "acquired locks/b 1 token 0 for PT3S",
                        "acquired locks/c 1 token 0 for PT3S");
        assertThat(problems).isEmpty();
    }

    @Test
    void everySubclassOfAnAbstractClassIsWoven() throws Exception {
        Woven woven = new Woven("""
                acquire: HERE$Base#take(java.lang.String)
                resource: "locks/{arg0}"
                lease: 3s
                """);

        call(woven.make("First"), "take", "a");

        assertThat(told.events).containsExactly("acquired locks/a 1 token 0 for PT3S");
    }

    @Test
    void aDefaultMethodIsWovenWhereItIs() throws Exception {
        Woven woven = new Woven("""
                acquire: HERE$Client#takeTwice(java.lang.Object)
                resource: "locks/{arg0}"
                lease: 3s
                """);

        call(woven.make("First"), "takeTwice", "a");

        assertThat(told.events).containsExactly("acquired locks/a 1 token 0 for PT3S");
    }

    private String problem(String rule, String simpleName) throws Exception {
        new Woven(rule + "\nresource: \"r\"\nlease: 3s").loadClass(HERE + simpleName);
        assertThat(problems).hasSize(1);
        return problems.get(0).replace(HERE, "");
    }

    @Test
    void whatDoesNotFitIsSaidWhenTheClassIsWoven() throws Exception {
        assertThat(problem("acquire: HERE$Locks#tryLok(java.lang.String)", "Locks"))
                .startsWith("there is no method Locks#tryLok(java.lang.String); methods with its parameters are ")
                .contains("tryLock");
        problems.clear();
        assertThat(problem("acquire: HERE$Locks#tryLock(java.lang.Object)", "Locks"))
                .startsWith("there is no method Locks#tryLock(java.lang.Object); methods of that name are ")
                .contains("tryLock(java.lang.String)");
        problems.clear();
        assertThat(problem("acquire: HERE$Locks#lock(HERE$Key)", "Locks"))
                .contains("its result, void, does not tell whether the lock was taken; expected 'when: always'");
        problems.clear();
        assertThat(problem("acquire: HERE$Locks#rows(java.lang.String)", "Locks"))
                .contains("its result is a number");
        problems.clear();
        assertThat(problem("acquire: HERE$Locks#elsewhere(java.lang.String)", "Locks"))
                .contains("is native");
        problems.clear();
        assertThat(problem("acquire: HERE$Heir#tryLock(java.lang.String)", "Heir"))
                .contains("it is inherited: name Locks#tryLock(java.lang.String)");
        problems.clear();
        assertThat(problem("acquire: HERE$Client#take(java.lang.Object)", "Adopted"))
                .contains("name Stranger#take(java.lang.Object) as well");
    }

    @Test
    void leadershipIsThatOfTheProcessWhoeverAsksForItOrGivesItBack() throws Exception {
        Object locks = new Woven("""
                acquire: HERE$Locks#grant(java.lang.String,long)
                resource: "leader/{arg0}"
                lease: arg1 ms
                token: result.number
                release: HERE$Locks#unlock(java.lang.String)
                scope: process
                """)
                .loadClass(HERE + "Locks")
                .getDeclaredConstructor()
                .newInstance();

        call(locks, "grant", "a", 60_000L);
        String owner = told.acquired.get(0).owner();
        onAnotherThread(() -> called(locks, "grant", "a", 120_000L));
        assertThat(told.events)
                .as("the same term goes on")
                .containsExactly("acquired leader/a 1 token 17 for PT1M", "renewed leader/a for PT2M");

        told.leases.get(owner).die(Lease.Death.EXPIRED, "test");
        onAnotherThread(() -> called(locks, "grant", "a", 60_000L));
        assertThat(told.acquired).as("the next term is another lease").hasSize(2);
        assertThat(told.acquired.get(1).owner()).isNotEqualTo(owner);
        told.events.clear();
        call(locks, "unlock", "a");
        call(locks, "unlock", "a");
        assertThat(told.events).as("one release ends it").containsExactly("releasing leader/a");
    }

    private static Object called(Object target, String method, Object... arguments) {
        try {
            return call(target, method, arguments);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private Object locks(String rule) throws Exception {
        return new Woven(rule)
                .loadClass(HERE + "Locks")
                .getDeclaredConstructor()
                .newInstance();
    }

    private static void answers(Object locks, boolean answer) throws Exception {
        locks.getClass().getField("answer").set(locks, answer);
    }

    private static final String ANSWERED = """
            acquire: HERE$Locks#tryLock(java.lang.String,java.time.Duration)
            resource: "locks/{arg0}"
            lease: arg1
            renew: HERE$Locks#extend(java.lang.String,java.time.Duration)
            release: HERE$Locks#giveBack(java.lang.String)
            """;

    @Test
    void theReleaseThatFollowsAFailedAttemptEndsTheOuterHoldOnlyIfItIsToldSo() throws Exception {
        Object locks = locks(ANSWERED);
        call(locks, "tryLock", "a", LEASE);
        answers(locks, false);
        call(locks, "tryLock", "a", LEASE);
        call(locks, "giveBack", "a");
        assertThat(told.events).as("the inner finally").containsExactly("acquired locks/a 1 token 0 for PT30S");

        call(locks, "tryLock", "a", LEASE);
        answers(locks, true);
        call(locks, "giveBack", "a");
        assertThat(told.events).endsWith("releasing locks/a").hasSize(2);
    }

    @Test
    void aWatchdogProlongsTheNewestHoldOfItsName() throws Exception {
        Object locks = locks(ANSWERED);
        onAnotherThread(() -> called(locks, "tryLock", "a", LEASE));
        onAnotherThread(() -> called(locks, "tryLock", "a", LEASE));

        call(locks, "extend", "a", Duration.ofMinutes(1));

        assertThat(told.events).endsWith("renewed locks/a for PT1M");
        assertThat(told.prolonged).containsExactly(told.acquired.get(1).owner());
    }

    @Test
    void theProcesssElectionsWaitForEachOther() throws Exception {
        for (int i = 0; i < 50; i++) {
            Object locks = locks("""
                    acquire: HERE$Locks#tryLock(java.lang.String,java.time.Duration)
                    resource: "leader"
                    lease: arg1
                    release: HERE$Locks#unlock(java.lang.String)
                    scope: process
                    """);
            told.acquired.clear();
            CyclicBarrier start = new CyclicBarrier(2);
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 2; t++) {
                threads.add(new Thread(() -> {
                    try {
                        start.await(10, TimeUnit.SECONDS);
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                    called(locks, "tryLock", "a", LEASE);
                }));
                threads.get(t).start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(told.acquired).as("leases of one term").hasSize(1);
        }
    }

    /** As in a JVM that was attached to. */
    @Test
    void holdsThatAreOlderThanTheWeavingAreToldOfWhereAnAnswerProvesThem() throws Exception {
        Object locks = locks(ANSWERED);
        call(locks, "extend", "a", LEASE);
        call(locks, "giveBack", "a");
        assertThat(told.events).as("where the agent was there from the start").isEmpty();

        blind = true;
        Seams.wasBlind();
        answers(locks, false);
        call(locks, "extend", "a", LEASE);
        call(locks, "giveBack", "a");
        assertThat(told.events).as("nothing was held").isEmpty();
        answers(locks, true);
        call(locks, "extend", "a", LEASE);
        call(locks, "giveBack", "b");
        assertThat(told.events).containsExactly("unknown locks/a", "unknown locks/b");
        told.events.clear();
        call(locks, "tryLock", "a", LEASE);
        call(locks, "giveBack", "a");
        assertThat(told.events).containsExactly("acquired locks/a 1 token 0 for PT30S", "releasing locks/a");
    }

    /** The rules of a running JVM can change. */
    @Test
    void aHoldThatIsEnteredOnceMoreWhileNoRuleNamesItIsStillGivenBack() throws Exception {
        Object locks = locks(ANSWERED);
        call(locks, "tryLock", "a", LEASE);
        told.off = true;
        call(locks, "tryLock", "a", LEASE);
        call(locks, "giveBack", "a");
        call(locks, "giveBack", "a");

        assertThat(told.events).containsSubsequence("releasing locks/a", "releasing locks/a");
    }

    @Test
    void proxiesThatAFrameworkGeneratesArePassedOver() throws Exception {
        Woven woven = new Woven("""
                acquire: HERE$Locks#offer(java.lang.String)
                resource: "locks/{arg0}"
                lease: 30s
                token: result.number
                """);

        Object proxy = woven.loadClass(HERE + "Locks$$SpringCGLIB$$0")
                .getDeclaredConstructor()
                .newInstance();
        call(proxy, "offer", "a");

        assertThat(problems).isEmpty();
        assertThat(told.events).containsExactly("acquired locks/a 1 token 18 for PT30S");
    }

    @Test
    void whatCannotTellThatARenewalSucceededIsRefusedWhenTheClassIsWoven() throws Exception {
        assertThat(problem(
                        "acquire: HERE$Locks#tryLock(java.lang.String)\nrenew: HERE$Locks#rowsProlonged(java.lang.String)",
                        "Locks"))
                .contains("its result is a number, and which numbers mean that it was prolonged is not known");
    }

    @Test
    void aClassFileOfJava6IsLeftAsItIs() throws Exception {
        byte[] bytes;
        try (InputStream in = getClass().getResourceAsStream("MethodWeavingTest$First.class")) {
            bytes = in.readAllBytes();
        }
        bytes[7] = 50;
        MethodPoint point = MethodPoints.of(RulesLoader.parse("""
                mode: enforce
                locks:
                  - name: r
                    acquire: HERE$First#take(java.lang.String)
                    resource: r
                    lease: 3s
                """.replace("HERE$", HERE), "lockfence.yaml"))
                .get(0);

        Weaving.Result result =
                Weaving.weave(HERE + "First", bytes, getClass().getClassLoader(), List.of(), List.of(point));

        assertThat(result.bytes()).isNull();
        assertThat(result.problems().get(point)).contains("is a class file of Java 6 or older");
    }

    private static final String ASYNC = """
            acquire:
              - HERE$AsyncLocks#tryLockAsync(java.lang.String,java.time.Duration)
              - HERE$AsyncLocks#tryLockAsync(java.lang.String)
            resource: "locks/{arg0}"
            lease: 30s
            renew: HERE$AsyncLocks#extendAsync(java.lang.String,java.time.Duration)
            release: HERE$AsyncLocks#unlockAsync(java.lang.String)
            """;

    private static final Duration LEASE = Duration.ofSeconds(30);

    private Object asyncLocks(String rule) throws Exception {
        return new Woven(rule)
                .loadClass(HERE + "AsyncLocks")
                .getDeclaredConstructor()
                .newInstance();
    }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<Boolean> answer(Object locks) throws Exception {
        return (CompletableFuture<Boolean>) locks.getClass().getField("answer").get(locks);
    }

    /** The next call's answer is another one. */
    private static CompletableFuture<Boolean> answerAnew(Object locks) throws Exception {
        CompletableFuture<Boolean> next = new CompletableFuture<>();
        locks.getClass().getField("answer").set(locks, next);
        return next;
    }

    private static void onAnotherThread(Runnable work) throws InterruptedException {
        Thread thread = new Thread(work, "answers");
        thread.start();
        thread.join();
    }

    private static Lease[] leasesHere() {
        return LeaseContext.ofCurrentThread().leases();
    }

    @Test
    @SuppressWarnings("unchecked")
    void aLockThatIsTakenInTheBackgroundIsHeldByTheCallerOnceItsFutureCompletes() throws Exception {
        Object locks = asyncLocks(ASYNC);
        List<Integer> under = new ArrayList<>();

        CompletableFuture<Boolean> future =
                (CompletableFuture<Boolean>) call(locks, "tryLockAsync", "a", Duration.ofSeconds(1));
        future.thenAccept(held -> under.add(leasesHere().length));
        assertThat(future).isNotDone();
        assertThat(told.events).isEmpty();
        onAnotherThread(() -> {
            try {
                answer(locks).complete(true);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            under.add(leasesHere().length);
        });

        assertThat(future).isCompletedWithValue(true);
        assertThat(told.events).containsExactly("acquired locks/a 1 token 0 for PT30S");
        assertThat(leasesHere()).hasSize(1);
        assertThat(under)
                .as("what is chained runs under the lease, and nothing after it does")
                .containsExactly(1, 0);
    }

    @Test
    @SuppressWarnings("unchecked")
    void aFutureThatCompletesWithoutTheLockBeginsNoLease() throws Exception {
        int active = LeaseContext.active();
        Object locks = asyncLocks(ASYNC);
        var refused = (CompletableFuture<Boolean>) call(locks, "tryLockAsync", "a", LEASE);
        answer(locks).complete(false);
        answerAnew(locks);
        var failed = (CompletableFuture<Boolean>) call(locks, "tryLockAsync", "b", LEASE);
        answer(locks).completeExceptionally(new IllegalStateException("no connection"));
        answerAnew(locks);
        var cancelled = (CompletableFuture<Boolean>) call(locks, "tryLockAsync", "c", LEASE);
        cancelled.cancel(true);

        assertThat(refused).isCompletedWithValue(false);
        assertThat(failed).isCompletedExceptionally();
        assertThat(cancelled).isCancelled();
        assertThat(answer(locks)).as("the client's own future").isCancelled();
        assertThat(told.events).isEmpty();
        assertThat(LeaseContext.active()).as("nothing is expected any more").isEqualTo(active);
    }

    @Test
    @SuppressWarnings("unchecked")
    void anOverloadThatCallsAnotherInTheBackgroundTakesOneLock() throws Exception {
        Object locks = asyncLocks(ASYNC);

        var future = (CompletableFuture<Boolean>) call(locks, "tryLockAsync", "a");
        answer(locks).complete(true);

        assertThat(future.join()).isTrue();
        assertThat(told.events).containsExactly("acquired locks/a 1 token 0 for PT30S");
    }

    @Test
    @SuppressWarnings("unchecked")
    void whatIsChainedCanGiveTheLockBack() throws Exception {
        Object locks = asyncLocks(ASYNC);
        var future = (CompletableFuture<Boolean>) call(locks, "tryLockAsync", "a", LEASE);
        CompletableFuture<Boolean> acquired = answer(locks);
        CompletableFuture<Boolean> released = answerAnew(locks);
        var all = future.thenCompose(held -> (CompletableFuture<Boolean>) called(locks, "unlockAsync", "a"));

        onAnotherThread(() -> acquired.complete(true));
        assertThat(told.events).as("before the release is answered").endsWith("releasing locks/a");
        released.complete(true);

        assertThat(all.join()).isTrue();
        assertThat(told.events).containsExactly("acquired locks/a 1 token 0 for PT30S", "releasing locks/a");
    }

    @Test
    void aThreadThatHoldsNothingEndsTheHoldThatWasThereWhenItGaveTheLockBack() throws Exception {
        Object locks = asyncLocks(ASYNC);
        answer(locks).complete(true);
        call(locks, "tryLockAsync", "a", LEASE);
        CompletableFuture<Boolean> released = answerAnew(locks);
        onAnotherThread(() -> called(locks, "unlockAsync", "a"));
        assertThat(told.events).as("not yet known").containsExactly("acquired locks/a 1 token 0 for PT30S");
        released.complete(true);
        assertThat(told.events).endsWith("releasing locks/a");

        told.events.clear();
        CompletableFuture<Boolean> late = answerAnew(locks);
        onAnotherThread(() -> called(locks, "unlockAsync", "a"));
        answerAnew(locks).complete(true);
        call(locks, "tryLockAsync", "a", LEASE);
        late.complete(true);
        assertThat(told.events)
                .as("an answer that comes late says nothing of the hold that came after the question")
                .containsExactly("acquired locks/a 1 token 0 for PT30S");
    }

    @Test
    void aRenewalInTheBackgroundCountsWhenItIsAnswered() throws Exception {
        Object locks = asyncLocks(
                ASYNC.replace("30s", "arg1").replace("  - HERE$AsyncLocks#tryLockAsync(java.lang.String)\n", ""));
        answer(locks).complete(true);
        call(locks, "tryLockAsync", "a", LEASE);
        told.events.clear();
        CompletableFuture<Boolean> answer = answerAnew(locks);

        call(locks, "extendAsync", "a", Duration.ofMinutes(2));
        assertThat(told.events).isEmpty();
        onAnotherThread(() -> answer.complete(true));
        answerAnew(locks).complete(false);
        call(locks, "extendAsync", "a", Duration.ofMinutes(3));

        assertThat(told.events).containsExactly("renewed locks/a for PT2M");
    }

    @Test
    void eachSuccessInTheBackgroundIsAHoldOfItsOwn() throws Exception {
        Object locks = asyncLocks(ASYNC);
        answer(locks).complete(true);
        call(locks, "tryLockAsync", "a", LEASE);
        call(locks, "tryLockAsync", "a", LEASE);

        assertThat(told.acquired)
                .hasSize(2)
                .allSatisfy(acquisition ->
                        assertThat(acquisition.proof().holdCount()).isEqualTo(1));
    }

    @Test
    void anAnswerToARenewalOfAnEarlierHoldSaysNothingOfTheNextOne() throws Exception {
        Object locks = asyncLocks(
                ASYNC.replace("30s", "arg1").replace("  - HERE$AsyncLocks#tryLockAsync(java.lang.String)\n", ""));
        answer(locks).complete(true);
        call(locks, "tryLockAsync", "a", LEASE);
        CompletableFuture<Boolean> renewal = answerAnew(locks);
        call(locks, "extendAsync", "a", Duration.ofSeconds(3));
        answerAnew(locks).complete(true);
        call(locks, "unlockAsync", "a");
        call(locks, "tryLockAsync", "a", LEASE);
        String second = told.acquired.get(1).owner();

        renewal.complete(true);

        assertThat(told.prolonged).doesNotContain(second);
    }

    @Test
    void renewalsThatAreAnsweredOutOfOrderTakeNoTimeAway() throws Exception {
        Object locks = asyncLocks(
                ASYNC.replace("30s", "arg1").replace("  - HERE$AsyncLocks#tryLockAsync(java.lang.String)\n", ""));
        answer(locks).complete(true);
        call(locks, "tryLockAsync", "a", LEASE);
        CompletableFuture<Boolean> first = answerAnew(locks);
        call(locks, "extendAsync", "a", Duration.ofSeconds(3));
        CompletableFuture<Boolean> second = answerAnew(locks);
        call(locks, "extendAsync", "a", Duration.ofMinutes(2));

        second.complete(true);
        first.complete(true);

        assertThat(told.events).noneMatch(event -> event.startsWith("shortened"));
    }

    @Test
    void aStageThatNobodyCanCompleteTimesOutAndIsCancelledAsItWouldBe() throws Exception {
        Object locks = asyncLocks("""
                acquire: HERE$AsyncLocks#grantAsync(java.lang.String,long)
                resource: "grants/{arg0}"
                lease: arg1 ms
                """);
        CompletableFuture<?> future =
                ((CompletionStage<?>) call(locks, "grantAsync", "a", 1000L)).toCompletableFuture();

        assertThat(future.cancel(true)).isTrue();
        answer(locks).complete(true);

        assertThat(future).isCancelled();
        assertThat(told.events).as("nobody would release it").isEmpty();
    }

    @Test
    @SuppressWarnings("unchecked")
    void whatAFutureCompletesWithCanBeRead() throws Exception {
        Object locks = asyncLocks("""
                acquire: HERE$AsyncLocks#grantAsync(java.lang.String,long)
                resource: "grants/{result.name}"
                lease: arg1 ms
                token: result.number
                """);
        var none = (CompletionStage<Optional<?>>) call(locks, "grantAsync", "a", 1000L);
        answer(locks).complete(false);
        answerAnew(locks).complete(true);
        var some = (CompletionStage<Optional<?>>) call(locks, "grantAsync", "b", 1000L);

        assertThat(none.toCompletableFuture().join()).isEmpty();
        assertThat(some.toCompletableFuture().join()).isPresent();
        assertThat(told.events).containsExactly("acquired grants/b 1 token 19 for PT1S");
    }

    @Test
    void whatTellsNobodyWhenItCompletesIsRefusedWhenTheClassIsWoven() throws Exception {
        assertThat(problem("acquire: HERE$AsyncLocks#inTheBackground(java.lang.String)", "AsyncLocks"))
                .contains("it returns a java.util.concurrent.Future, which tells nobody when it completes");
        problems.clear();
        assertThat(problem("acquire: HERE$AsyncLocks#lockAsync(java.lang.String)", "AsyncLocks"))
                .contains("its result, java.lang.Void, does not tell whether the lock was taken");
    }

    private String misfit(String resource, String lease) throws Exception {
        problems.clear();
        new Woven("acquire: HERE$Locks#grant(java.lang.String,long)\nresource: \"" + resource + "\"\nlease: \"" + lease
                        + "\"\ntoken: result.number")
                .loadClass(HERE + "Locks");
        assertThat(problems).hasSize(1);
        return problems.get(0).replace(HERE, "");
    }

    @Test
    void aPathThatLeadsNowhereIsSaidWhenTheClassIsWoven() throws Exception {
        assertThat(misfit("a/{arg0.nam}", "arg1 ms")).contains("arg0 is a java.lang.String, which has no method");
        assertThat(misfit("a/{result.nam}", "arg1 ms")).contains("'nam'; it has hashCode, name, number");
        assertThat(misfit("a/{arg2}", "arg1 ms")).contains("the method has 2 parameters, counted from arg0");
        assertThat(misfit("a/{arg0}", "arg1")).contains("its lease arg1 is a number, expected a unit with it");
        assertThat(misfit("a/{arg0}", "arg0 ms")).contains("expected a number in front of its unit");
        assertThat(misfit("a/{arg0}", "arg1 arg0")).contains("expected java.util.concurrent.TimeUnit");
        assertThat(misfit("a/{arg0.value}", "arg1 ms")).as("private in the JDK").contains("'value'");
    }
}
