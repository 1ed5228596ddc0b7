/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import io.micrometer.context.ContextSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.ContinuationInterceptor;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import kotlin.jvm.functions.Function2;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineName;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineScopeKt;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.DelayKt;
import kotlinx.coroutines.Dispatchers;
import kotlinx.coroutines.ExecutorsKt;
import kotlinx.coroutines.GlobalScope;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;
import kotlinx.coroutines.flow.SharedFlow;
import kotlinx.coroutines.flow.SharingStarted;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Libraries that carry work on by themselves: Spring, Reactor, Kotlin's coroutines. Prints "ok ROW" or "failed ROW: why" for each. */
public final class Carried {
    private final Books books;
    private final int counted;

    private Carried(Books books) {
        this.books = books;
        this.counted = LeaseContext.active();
    }

    public static void main(String[] arguments) throws Exception {
        Books books = Books.open();
        new Carried(books).all();
        Rows.row("no faults", books::close);
        System.out.println("end");
        System.exit(0);
    }

    private void all() throws Exception {
        spring();
        coroutines();
        scopes();
        Hooks.enableAutomaticContextPropagation();
        reactor();
        Rows.row("nothing is left", () -> {
            Books.await("threads have leases", () -> LeaseContext.threads() == 0);
            Books.await("something is counted: " + LeaseContext.active(), () -> {
                System.gc();
                LeaseContext.forgetEnded();
                return LeaseContext.active() == counted;
            });
        });
    }

    // Spring.

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Context {
        @Bean
        ThreadPoolTaskExecutor pool() {
            ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
            pool.setCorePoolSize(2);
            return pool;
        }

        @Bean
        SimpleAsyncTaskExecutor threads() {
            SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("task-");
            if (Runtime.version().feature() >= 21) {
                threads.setVirtualThreads(true);
            }
            threads.setTaskTerminationTimeout(20_000);
            return threads;
        }

        @Bean
        Work work() {
            return new Work();
        }
    }

    /** Methods that run in the background. */
    static class Work {
        @Async("pool")
        public CompletableFuture<Lease[]> inPool(CountDownLatch start) {
            return CompletableFuture.completedFuture(waitAndLook(start));
        }

        @Async("threads")
        public CompletableFuture<Lease[]> onThread(CountDownLatch start) {
            return CompletableFuture.completedFuture(waitAndLook(start));
        }

        private static Lease[] waitAndLook(CountDownLatch start) {
            try {
                Rows.check(start.await(20, TimeUnit.SECONDS), "waited 20 s");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return LeaseContext.current();
        }
    }

    private interface Start {
        CompletableFuture<Lease[]> start(CountDownLatch latch);
    }

    private void spring() {
        try (var context = new AnnotationConfigApplicationContext(Context.class)) {
            Work work = context.getBean(Work.class);
            changes("@Async, ThreadPoolTaskExecutor", work::inPool);
            changes("@Async, SimpleAsyncTaskExecutor", work::onThread);
            Rows.row("@Async without a lease", () -> {
                CountDownLatch now = new CountDownLatch(0);
                Rows.check(work.inPool(now).get().length == 0, "in a pool");
                Rows.check(work.onThread(now).get().length == 0, "on a thread");
            });
        }
    }

    /** The lease changes while the work waits. */
    private void changes(String name, Start start) {
        for (String change : new String[] {"RENEWED", "LOST", "RELEASED"}) {
            Rows.row(name + ", " + change.toLowerCase(Locale.ROOT), () -> {
                CountDownLatch latch = new CountDownLatch(1);
                Lease lease = books.leave();
                long before = lease.deadline().at();
                CompletableFuture<Lease[]> seen = start.start(latch);
                Rows.check(LeaseContext.current().length == 1, "the holder's lease is gone");
                switch (change) {
                    case "RENEWED" -> lease.deadline().extend(System.nanoTime(), TimeUnit.HOURS.toNanos(2));
                    case "LOST" -> lease.die(Lease.Death.LOST, "in the test");
                    default -> lease.release();
                }
                LeaseContext.ofCurrentThread().detach(lease);
                latch.countDown();
                Lease[] current = seen.get(20, TimeUnit.SECONDS);
                Rows.check(Arrays.equals(current, new Lease[] {lease}), "it sees " + Arrays.toString(current));
                Rows.check(
                        switch (change) {
                            case "RENEWED" -> current[0].deadline().at() > before;
                            case "LOST" -> current[0].death() == Lease.Death.LOST;
                            default -> current[0].released();
                        },
                        "not " + change);
                Books.await("something is left: " + LeaseContext.active(), () -> LeaseContext.active() == counted);
            });
        }
    }

    // Kotlin: what its compiler makes of `launch(dispatcher) { look(); delay(50); look() }`.

    private void coroutines() {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (var dispatcher : new Object[][] {
            {"Default", Dispatchers.getDefault()},
            {"IO", Dispatchers.getIO()},
            {"a pool", ExecutorsKt.from((Executor) pool)},
            {"Unconfined", Dispatchers.getUnconfined()}
        }) {
            CoroutineContext on = (CoroutineContext) dispatcher[1];
            changes("coroutine on " + dispatcher[0], latch -> {
                CompletableFuture<Lease[]> seen = new CompletableFuture<>();
                boolean unconfined = dispatcher[0].equals("Unconfined");
                launch(GlobalScope.INSTANCE, on, unconfined ? new CountDownLatch(0) : latch, latch, seen);
                return seen;
            });
            Rows.row("coroutine on " + dispatcher[0] + " without a lease", () -> {
                CompletableFuture<Lease[]> seen = new CompletableFuture<>();
                Lease lease = under(() -> {});
                CountDownLatch now = new CountDownLatch(0);
                launch(GlobalScope.INSTANCE, on, now, now, seen);
                Rows.check(seen.get(20, TimeUnit.SECONDS).length == 0, "under " + lease);
            });
        }
        Rows.row("a scope that was made under a lease, used without one", () -> {
            AtomicReference<CoroutineScope> scope = new AtomicReference<>();
            CompletableFuture<Lease[]> inside = new CompletableFuture<>();
            CountDownLatch now = new CountDownLatch(0);
            // launch { scope = this }
            Lease lease = under(() -> {
                BuildersKt.launch(GlobalScope.INSTANCE, Dispatchers.getDefault(), CoroutineStart.DEFAULT, (Function2<
                                CoroutineScope, Continuation<? super Unit>, Object>)
                        (own, continuation) -> {
                            scope.set(CoroutineScopeKt.CoroutineScope(
                                    own.getCoroutineContext().minusKey(kotlinx.coroutines.Job.Key)));
                            inside.complete(LeaseContext.current());
                            return Unit.INSTANCE;
                        });
                inside.get(20, TimeUnit.SECONDS);
            });
            Rows.check(Arrays.equals(inside.get(), new Lease[] {lease}), "the maker: " + Arrays.toString(inside.get()));
            CompletableFuture<Lease[]> seen = new CompletableFuture<>();
            Lease keepsBusy = books.leave();
            LeaseContext.ofCurrentThread().detach(keepsBusy);
            launch(scope.get(), Dispatchers.getDefault(), now, now, seen);
            Rows.check(seen.get(20, TimeUnit.SECONDS).length == 0, "used: " + Arrays.toString(seen.get()));
        });
        pool.shutdown();
        flows();
    }

    /** Of whatever its continuation takes. */
    @SuppressWarnings("rawtypes")
    private interface Suspending {
        Object run(Continuation continuation);
    }

    /** A flow may be emitted only in the context that it is collected in; each emits once, and tells the leases there and at its collector. */
    @SuppressWarnings("unchecked")
    private void flows() {
        Map<String, Function<Runnable, Flow<Integer>>> flows = new LinkedHashMap<>();
        flows.put(
                "flow",
                inside -> FlowKt.flow((collector, continuation) -> {
                    inside.run();
                    return collector.emit(1, continuation);
                }));
        flows.put(
                "flow, withContext that changes nothing",
                inside -> FlowKt.flow((collector, continuation) -> BuildersKt.withContext(
                        EmptyCoroutineContext.INSTANCE,
                        (scope, within) -> {
                            inside.run();
                            return collector.emit(1, within);
                        },
                        continuation)));
        flows.put("flowOn", inside -> FlowKt.flowOn(flows.get("flow").apply(inside), Dispatchers.getIO()));
        flows.put(
                "flowOn the same dispatcher",
                inside -> FlowKt.flowOn(flows.get("flow").apply(inside), Dispatchers.getDefault()));
        flows.put(
                "flowOn another name",
                inside -> FlowKt.flowOn(flows.get("flow").apply(inside), new CoroutineName("other")));
        flows.put(
                "channelFlow",
                inside -> FlowKt.channelFlow((producer, continuation) -> BuildersKt.withContext(
                        Dispatchers.getIO(),
                        (scope, within) -> {
                            inside.run();
                            return producer.send(1, within);
                        },
                        continuation)));
        for (var flow : flows.entrySet()) {
            Rows.row("coroutines, " + flow.getKey(), () -> {
                List<Lease[]> seen = Collections.synchronizedList(new ArrayList<>());
                Runnable look = () -> seen.add(LeaseContext.current());
                Lease lease = under(() -> collect(flow.getValue().apply(look), value -> look.run()));
                Rows.check(seen.size() == 2, "ran " + seen.size());
                for (Lease[] leases : seen) {
                    Rows.check(
                            Arrays.equals(leases, new Lease[] {lease}),
                            "seen: " + seen.stream().map(Arrays::toString).toList());
                }
            });
        }
        Rows.row("coroutines, flow that takes a lock, withContext that changes nothing", () -> {
            List<Lease> taken = Collections.synchronizedList(new ArrayList<>());
            AtomicReference<LeaseContext> where = new AtomicReference<>();
            under(() -> collect(
                    flows.get("flow, withContext that changes nothing").apply(() -> {
                        taken.add(books.leave());
                        where.set(LeaseContext.ofCurrentThread());
                    }),
                    value -> {
                        where.get().detach(taken.get(0));
                        taken.clear();
                    }));
            Rows.check(taken.isEmpty(), "not collected");
        });
        Rows.row("coroutines, shareIn", () -> {
            List<Lease[]> seen = Collections.synchronizedList(new ArrayList<>());
            Lease lease = under(() -> {
                CoroutineScope scope = CoroutineScopeKt.CoroutineScope(Dispatchers.getDefault());
                SharedFlow<Integer> shared = FlowKt.shareIn(
                        flows.get("flow, withContext that changes nothing")
                                .apply(() -> seen.add(LeaseContext.current())),
                        scope,
                        SharingStarted.Companion.getEagerly(),
                        1);
                block(continuation -> FlowKt.first(shared, continuation));
                CoroutineScopeKt.cancel(scope, null);
            });
            Rows.check(
                    seen.size() == 1 && Arrays.equals(seen.get(0), new Lease[] {lease}),
                    "seen: " + seen.stream().map(Arrays::toString).toList());
        });
    }

    @SuppressWarnings("unchecked")
    private static void collect(Flow<Integer> flow, Consumer<Integer> collector) throws InterruptedException {
        block(continuation -> flow.collect(
                (value, within) -> {
                    collector.accept(value);
                    return Unit.INSTANCE;
                },
                continuation));
    }

    private static void block(Suspending work) throws InterruptedException {
        BuildersKt.runBlocking(Dispatchers.getDefault(), (Function2<CoroutineScope, Continuation<? super Unit>, Object>)
                (scope, continuation) -> work.run(continuation));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static void launch(
            CoroutineScope scope,
            CoroutineContext on,
            CountDownLatch first,
            CountDownLatch second,
            CompletableFuture<Lease[]> seen) {
        BuildersKt.launch(scope, on, CoroutineStart.DEFAULT, (Function2<
                        CoroutineScope, Continuation<? super Unit>, Object>)
                (own, completion) -> {
                    Lease[] before = Work.waitAndLook(first);
                    Continuation<Unit> afterDelay = new Continuation<>() {
                        @Override
                        public CoroutineContext getContext() {
                            return completion.getContext();
                        }

                        @Override
                        public void resumeWith(Object result) {
                            Lease[] after = Work.waitAndLook(second);
                            if (Arrays.equals(before, after)) {
                                seen.complete(after);
                            } else {
                                seen.completeExceptionally(new IllegalStateException("before the delay "
                                        + Arrays.toString(before) + ", after it " + Arrays.toString(after)));
                            }
                            ((Continuation) completion).resumeWith(Unit.INSTANCE);
                        }
                    };
                    ContinuationInterceptor interceptor =
                            own.getCoroutineContext().get(ContinuationInterceptor.Key);
                    Object suspended = DelayKt.delay(50, interceptor.interceptContinuation(afterDelay));
                    if (suspended != IntrinsicsKt.getCOROUTINE_SUSPENDED()) {
                        // So slow a machine that the delay was over at once.
                        seen.complete(Work.waitAndLook(second));
                    }
                    return suspended;
                });
    }

    // Micrometer's context propagation, by itself.

    @SuppressWarnings("deprecation")
    private static ContextSnapshot snapshot() {
        return ContextSnapshot.captureAll();
    }

    private ContextSnapshot snapshotUnder(Lease[] lease) throws Exception {
        ContextSnapshot[] taken = new ContextSnapshot[1];
        lease[0] = under(() -> taken[0] = snapshot());
        return taken[0];
    }

    // A scope is there to be closed.
    @SuppressWarnings("try")
    private void scopes() {
        Rows.row("a scope, and the thread's own lease released in it", () -> {
            Lease[] carried = new Lease[1];
            ContextSnapshot snapshot = snapshotUnder(carried);
            LeaseContext own = LeaseContext.ofCurrentThread();
            Lease lease = books.leave();
            try (var scope = snapshot.setThreadLocals()) {
                sees(carried);
                lease.release();
                own.detach(lease);
            }
            sees();
        });
        Rows.row("a scope, and a lease taken in it", () -> {
            Lease[] carried = new Lease[1];
            Lease lease;
            try (var scope = snapshotUnder(carried).setThreadLocals()) {
                lease = books.leave();
                try (var same = snapshot().setThreadLocals()) {
                    sees(carried[0], lease);
                }
                sees(carried[0], lease);
            }
            sees(lease);
            LeaseContext.ofCurrentThread().detach(lease);
        });
        Rows.row("a scope that changes nothing, and a lease taken in it", () -> {
            Lease held = books.leave();
            Lease lease;
            try (var scope = snapshot().setThreadLocals()) {
                lease = books.leave();
                snapshot();
            }
            sees(held, lease);
            LeaseContext.ofCurrentThread().detach(lease);
            LeaseContext.ofCurrentThread().detach(held);
        });
        Rows.row("a scope in a unit of its own in a scope", () -> {
            Lease[] outer = new Lease[1];
            Lease[] inner = new Lease[1];
            ContextSnapshot second = snapshotUnder(inner);
            try (var scope = snapshotUnder(outer).setThreadLocals()) {
                LeaseContext before = LeaseContext.beginUnit();
                try (var nested = second.setThreadLocals()) {
                    sees(inner);
                }
                sees();
                io.lockfence.bootstrap.Units.end(before, null);
                sees(outer);
            }
            sees();
        });
        Rows.row("scopes that are left open end with their task", () -> {
            for (ExecutorService pool : List.of(Executors.newFixedThreadPool(1), Executors.newFixedThreadPool(2))) {
                Lease[] carried = new Lease[1];
                ContextSnapshot snapshot = snapshotUnder(carried);
                under(() -> pool.submit(() -> {
                            snapshot.setThreadLocals();
                            sees(carried);
                        })
                        .get());
                pool.submit(() -> sees()).get();
                pool.submit(() -> sees()).get();
                pool.shutdown();
                Books.await("something is left: " + LeaseContext.active(), () -> LeaseContext.active() == counted);
            }
        });
    }

    private static void sees(Lease... expected) {
        Lease[] current = LeaseContext.current();
        Rows.check(Arrays.equals(current, expected), "sees " + Arrays.toString(current));
    }

    // Reactor, with Hooks.enableAutomaticContextPropagation().

    private void reactor() {
        changes(
                "Mono on boundedElastic",
                latch -> Mono.fromCallable(() -> Work.waitAndLook(latch))
                        .subscribeOn(Schedulers.boundedElastic())
                        .toFuture());
        changes(
                "Mono after a delay",
                latch -> Mono.delay(Duration.ofMillis(5))
                        .publishOn(Schedulers.boundedElastic())
                        .map(x -> Work.waitAndLook(latch))
                        .contextCapture()
                        .toFuture());
        changes("Mono that another holder's thread completes", latch -> {
            Sinks.One<String> sink = Sinks.one();
            CompletableFuture<Lease[]> seen = sink.asMono()
                    .map(x -> Work.waitAndLook(latch))
                    .contextCapture()
                    .toFuture();
            Thread other = new Thread(() -> {
                Lease own = books.leave();
                sink.tryEmitValue("x").orThrow();
                boolean still = Arrays.equals(LeaseContext.current(), new Lease[] {own});
                LeaseContext.ofCurrentThread().detach(own);
                if (!still) {
                    throw new IllegalStateException("whoever completes has lost its lease");
                }
            });
            other.start();
            return seen.whenComplete((x, e) -> join(other));
        });
        Rows.row("Flux in parallel", () -> {
            AtomicReference<Long> right = new AtomicReference<>();
            Lease[] expected = new Lease[1];
            under(() -> {
                expected[0] = LeaseContext.current()[0];
                right.set(Flux.range(0, 500)
                        .parallel(2)
                        .runOn(Schedulers.parallel())
                        .filter(i -> Arrays.equals(LeaseContext.current(), expected))
                        .sequential()
                        .contextCapture()
                        .count()
                        .block());
            });
            Rows.check(right.get() == 500, "with its lease: " + right);
        });
        Rows.row("a lock taken in an operator is still on its thread after the scope", () -> {
            Lease[] taken = new Lease[1];
            under(() -> Mono.fromCallable(() -> {
                        taken[0] = books.leave();
                        return 1;
                    })
                    .flatMap(x -> Mono.fromCallable(() -> x + 1))
                    .contextCapture()
                    .block());
            sees(taken);
            LeaseContext.ofCurrentThread().detach(taken[0]);
        });
        Rows.row("Mono without a lease", () -> {
            Lease[] seen = Mono.delay(Duration.ofMillis(1))
                    .publishOn(Schedulers.boundedElastic())
                    .map(x -> LeaseContext.current())
                    .contextCapture()
                    .block();
            Rows.check(seen.length == 0, "it sees " + Arrays.toString(seen));
        });
    }

    private static void join(Thread thread) {
        if (thread != Thread.currentThread()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private interface Action {
        void run() throws Exception;
    }

    private Lease under(Action action) throws Exception {
        Lease lease = books.leave();
        try {
            action.run();
        } finally {
            LeaseContext.ofCurrentThread().detach(lease);
        }
        return lease;
    }
}
