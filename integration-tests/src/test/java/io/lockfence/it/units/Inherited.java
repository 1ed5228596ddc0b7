/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * What tasks inherit: every executor of the JDK, every way to submit, each under a lease that is renewed, lost or released while the task waits. Prints
 * "ok ROW" or "failed ROW: why" for each.
 */
// What a task has seen tells whether it failed.
@SuppressWarnings("FutureReturnValueIgnored")
public final class Inherited {
    /** How work is given to an executor by a holder. The work tells by itself what it has seen. */
    private interface Style {
        void give(ExecutorService executor, Callable<Void> work) throws Exception;
    }

    private interface Pools {
        ExecutorService open() throws Exception;
    }

    private enum Change {
        RENEWED,
        LOST,
        RELEASED
    }

    private final Books books;
    private final int counted;

    private Inherited(Books books) {
        this.books = books;
        this.counted = LeaseContext.active();
    }

    public static void main(String[] arguments) throws Exception {
        Books books = Books.open();
        new Inherited(books).all();
        Rows.row("no faults", books::close);
        System.out.println("end");
        System.exit(0);
    }

    private void all() throws Exception {
        Map<String, Style> any = styles();
        Map<String, Pools> pools = new LinkedHashMap<>();
        pools.put("fixed pool of two", () -> Executors.newFixedThreadPool(2));
        pools.put("single thread", Executors::newSingleThreadExecutor);
        pools.put("cached pool", Executors::newCachedThreadPool);
        pools.put("scheduled pool of two", () -> Executors.newScheduledThreadPool(2));
        pools.put("fork/join pool of two", () -> new ForkJoinPool(2));
        pools.put("common pool", ForkJoinPool::commonPool);
        if (Runtime.version().feature() >= 21) {
            pools.put("virtual threads", Inherited::virtualThreads);
        }
        for (var pool : pools.entrySet()) {
            for (var style : any.entrySet()) {
                row(pool.getKey(), pool.getValue(), style.getKey(), style.getValue());
            }
        }
        Pools scheduled = () -> Executors.newScheduledThreadPool(2);
        row(
                "scheduled pool of two",
                scheduled,
                "schedule(Runnable)",
                (executor, work) -> ((ScheduledExecutorService) executor)
                        .schedule((Runnable) () -> call(work), 1, TimeUnit.MILLISECONDS));
        row(
                "scheduled pool of two",
                scheduled,
                "schedule(Callable)",
                (executor, work) -> ((ScheduledExecutorService) executor).schedule(work, 1, TimeUnit.MILLISECONDS));
        Pools forkJoin = () -> new ForkJoinPool(2);
        for (var style : forkJoinStyles().entrySet()) {
            row("fork/join pool of two", forkJoin, style.getKey(), style.getValue());
            row("common pool", ForkJoinPool::commonPool, style.getKey(), style.getValue());
        }
        if (ForkJoinPool.commonPool() instanceof ScheduledExecutorService) {
            row(
                    "common pool",
                    ForkJoinPool::commonPool,
                    "schedule(Runnable)",
                    (executor, work) -> ((ScheduledExecutorService) executor)
                            .schedule((Runnable) () -> call(work), 1, TimeUnit.MILLISECONDS));
        }

        Rows.row("hooks of the pool see the leases", this::hooks);
        Rows.row("one object submitted many times: each run has the leases of its submission", this::oneObject);
        Rows.row("what is chained without a lease runs without the lease of who completes", this::chainedWithout);
        Rows.row("an executor of the service's own", this::ownExecutor);
        Rows.row("a task of a task", this::nested);
        Rows.row("a pool of one keeps what its thread has, beside what a task inherits", this::poolOfOne);
        Rows.row("the next task inherits nothing", this::nextTask);
        Rows.row("a lease that a task takes and leaves is set aside, what it inherits is not", this::leftBeside);
        Rows.row("a task that throws", this::throwing);
        Rows.row("rejected tasks", this::rejected);
        Rows.row("one object submitted again after it was discarded, cleared, drained or turned away", this::again);
        Rows.row("one object queued before it is submitted by a holder", this::queuedBefore);
        Rows.row("a pool that is shut down now", this::shutDownNow);
        Rows.row("a timer whose getters throw", this::hostileTimer);
        Rows.row("a handler that waits for room", this::handlerThatQueues);
        Rows.row("cancelled and removed tasks", this::removed);
        Rows.row("casts of queued tasks, and queues with an order of their own", this::casts);
        Rows.row("periodic tasks inherit nothing", this::periodic);
        Rows.row("pieces of two computations", this::pieces);
        Rows.row("parallel stream", this::parallelStream);
        Rows.row("a thread that waits has its own leases back", this::helping);
        Rows.row("timeouts of futures", this::timeouts);
        Rows.row("excluded by the class of the task", this::excludedTask);
        Rows.row("excluded by the class of the executor, or of its threads' factory", this::excludedExecutor);
        Rows.row("a thread of its own inherits nothing", this::ownThread);
        Rows.row("10,000 requests on a small pool leave nothing", this::noLeak);
        Rows.row("nothing is left", this::nothingIsLeft);
    }

    private Map<String, Style> styles() {
        Map<String, Style> styles = new LinkedHashMap<>();
        styles.put("execute(lambda)", (executor, work) -> executor.execute(() -> call(work)));
        styles.put("execute(class)", (executor, work) -> executor.execute(new Named(work)));
        styles.put("submit(Runnable)", (executor, work) -> executor.submit((Runnable) () -> call(work)));
        styles.put("submit(Runnable, T)", (executor, work) -> executor.submit(new Named(work), "result"));
        styles.put("submit(Callable)", ExecutorService::submit);
        styles.put(
                "invokeAll",
                (executor, work) -> executor.invokeAll(List.of(work)).get(0).get());
        styles.put("invokeAny", (executor, work) -> executor.invokeAny(List.of(work)));
        styles.put("runAsync", (executor, work) -> CompletableFuture.runAsync(() -> call(work), executor));
        styles.put("supplyAsync", (executor, work) -> CompletableFuture.supplyAsync(() -> call(work), executor));
        styles.put(
                "completeAsync",
                (executor, work) -> new CompletableFuture<Void>().completeAsync(() -> call(work), executor));
        styles.put(
                "thenRunAsync of a completed future",
                (executor, work) -> CompletableFuture.completedFuture("x").thenRunAsync(() -> call(work), executor));
        styles.put("thenApplyAsync, completed by another holder", (executor, work) -> {
            CompletableFuture<String> source = new CompletableFuture<>();
            source.thenApplyAsync(x -> call(work), executor);
            elsewhere(() -> {
                Lease other = books.leave();
                source.complete("x");
                Rows.check(
                        LeaseContext.current().length == 1 && LeaseContext.current()[0] == other,
                        "whoever completes has lost its lease");
                LeaseContext.ofCurrentThread().detach(other);
                return null;
            });
        });
        styles.put("handleAsync, completed by nobody's thread", (executor, work) -> {
            CompletableFuture<String> source = new CompletableFuture<>();
            source.handleAsync((x, e) -> call(work), executor);
            elsewhere(() -> source.completeExceptionally(new IllegalStateException("on purpose")));
        });
        styles.put("thenCombineAsync", (executor, work) -> {
            CompletableFuture<String> one = new CompletableFuture<>();
            CompletableFuture<String> two = new CompletableFuture<>();
            one.thenCombineAsync(two, (x, y) -> call(work), executor);
            elsewhere(() -> one.complete("x"));
            elsewhere(() -> two.complete("y"));
        });
        styles.put("thenComposeAsync", (executor, work) -> {
            CompletableFuture<String> source = new CompletableFuture<>();
            source.thenComposeAsync(
                    x -> {
                        call(work);
                        return CompletableFuture.completedStage(x);
                    },
                    executor);
            elsewhere(() -> source.complete("x"));
        });
        styles.put(
                "delayedExecutor",
                (executor, work) -> CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, executor)
                        .execute(() -> call(work)));
        return styles;
    }

    private static Map<String, Style> forkJoinStyles() {
        Map<String, Style> styles = new LinkedHashMap<>();
        styles.put("execute(ForkJoinTask)", (executor, work) -> ((ForkJoinPool) executor).execute(recursive(work)));
        styles.put("submit(ForkJoinTask)", (executor, work) -> ((ForkJoinPool) executor).submit(recursive(work)));
        styles.put("submit(adapted)", (executor, work) -> ((ForkJoinPool) executor).submit(ForkJoinTask.adapt(work)));
        styles.put("invoke", (executor, work) -> ((ForkJoinPool) executor).invoke(recursive(work)));
        styles.put(
                "fork within a task",
                (executor, work) -> ((ForkJoinPool) executor)
                        .submit(() -> recursive(work).fork().join()));
        styles.put(
                "parallel stream within a task",
                (executor, work) -> ((ForkJoinPool) executor)
                        .submit(() -> IntStream.range(0, 8).parallel().forEach(i -> {
                            if (i == 5) {
                                call(work);
                            }
                        })));
        return styles;
    }

    private void row(String pool, Pools pools, String name, Style style) {
        for (Change change : Change.values()) {
            Rows.row(pool + ", " + name + ", " + change.name().toLowerCase(java.util.Locale.ROOT), () -> {
                ExecutorService executor = pools.open();
                try {
                    waits(executor, style, change);
                } finally {
                    close(executor);
                }
            });
        }
    }

    /** A holder submits to an executor that is busy; then something happens to its lease; then the task runs. */
    private void waits(ExecutorService executor, Style style, Change change) throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        occupy(executor, busy);
        CountDownLatch changed = new CountDownLatch(1);
        CompletableFuture<Lease[]> seen = new CompletableFuture<>();
        CompletableFuture<Boolean> released = new CompletableFuture<>();
        Callable<Void> work = () -> {
            Lease[] atFirst = LeaseContext.current();
            // Where nothing can be kept busy, the lease changes while the task runs.
            await(changed);
            Lease[] current = LeaseContext.current();
            if (!Arrays.equals(atFirst, current)) {
                seen.completeExceptionally(new IllegalStateException(
                        "began with " + Arrays.toString(atFirst) + ", has " + Arrays.toString(current)));
            }
            seen.complete(current);
            return null;
        };
        CompletableFuture<Lease> taken = new CompletableFuture<>();
        CountDownLatch given = new CountDownLatch(1);
        Thread holder = new Thread(() -> {
            try {
                Lease own = books.leave();
                taken.complete(own);
                style.give(executor, work);
                given.countDown();
                Rows.check(
                        LeaseContext.current().length == 1 && LeaseContext.current()[0] == own,
                        "the holder has lost its lease");
                released.get();
                LeaseContext.ofCurrentThread().detach(own);
            } catch (Throwable t) {
                seen.completeExceptionally(t);
            }
        });
        holder.start();
        Lease lease = taken.get();
        // Submitted, or waiting for it.
        Books.await(
                "not submitted",
                () -> seen.isCompletedExceptionally()
                        || given.getCount() == 0
                        || holder.getState() == Thread.State.WAITING
                        || holder.getState() == Thread.State.TIMED_WAITING);
        long before = lease.deadline().at();
        switch (change) {
            case RENEWED -> lease.deadline().extend(System.nanoTime(), TimeUnit.HOURS.toNanos(2));
            case LOST -> lease.die(Lease.Death.LOST, "in the test");
            case RELEASED -> {
                lease.release();
                if (given.getCount() == 0) {
                    released.complete(true);
                    holder.join();
                }
            }
        }
        changed.countDown();
        busy.countDown();
        Lease[] current = seen.get(20, TimeUnit.SECONDS);
        released.complete(true);
        holder.join();
        Rows.check(current.length == 1, "the task sees " + Arrays.toString(current));
        Rows.check(current[0] == lease, "another lease: " + current[0]);
        Rows.check(
                switch (change) {
                    case RENEWED ->
                        current[0].death() == null && current[0].deadline().at() > before;
                    case LOST -> current[0].death() == Lease.Death.LOST;
                    case RELEASED -> current[0].released();
                },
                "it does not see that the lease was " + change);
        Books.await("something is left: " + LeaseContext.active(), () -> LeaseContext.active() == counted);
    }

    /** Keeps the workers of a pool busy, where there are two at most. */
    private static void occupy(ExecutorService executor, CountDownLatch until) throws Exception {
        if ((executor instanceof ThreadPoolExecutor pool && pool.getQueue() instanceof SynchronousQueue)
                || executor.getClass().getSimpleName().startsWith("ThreadPerTask")) {
            return;
        }
        int workers = executor instanceof ThreadPoolExecutor pool
                ? pool.getCorePoolSize()
                : executor instanceof ForkJoinPool pool ? pool.getParallelism() : 1;
        CountDownLatch running = new CountDownLatch(workers);
        for (int i = 0; i < workers; i++) {
            executor.execute(() -> {
                running.countDown();
                await(until);
            });
        }
        await(running);
    }

    private void hooks() throws Exception {
        List<Lease> seen = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch after = new CountDownLatch(1);
        Runnable task = () -> seen.addAll(List.of(LeaseContext.current()));
        AtomicReference<Runnable> shown = new AtomicReference<>();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>()) {
            @Override
            protected void beforeExecute(Thread thread, Runnable running) {
                shown.set(running);
                seen.addAll(List.of(LeaseContext.current()));
            }

            @Override
            protected void afterExecute(Runnable running, Throwable thrown) {
                seen.addAll(List.of(LeaseContext.current()));
                after.countDown();
            }
        };
        Lease lease = under(() -> pool.execute(task));
        await(after);
        close(pool);
        Rows.check(seen.equals(List.of(lease, lease, lease)), "seen: " + seen);
        Rows.check(shown.get() == task, "the pool's hook was shown " + shown.get());
    }

    /** What captures nothing is one object, however often it is submitted. */
    private void oneObject() throws Exception {
        for (Callable<ExecutorService> factory : List.<Callable<ExecutorService>>of(
                () -> Executors.newFixedThreadPool(1), () -> Executors.newScheduledThreadPool(1))) {
            ExecutorService pool = factory.call();
            CountDownLatch busy = new CountDownLatch(1);
            occupy(pool, busy);
            List<Lease[]> seen = Collections.synchronizedList(new ArrayList<>());
            Runnable task = () -> seen.add(LeaseContext.current());
            Lease first = under(() -> pool.execute(task));
            pool.execute(task);
            Lease second = under(() -> pool.execute(task));
            ExecutorService other = Executors.newFixedThreadPool(2);
            Lease elsewhere = under(() -> other.submit(task).get());
            Rows.check(
                    seen.size() == 1 && Arrays.equals(seen.get(0), new Lease[] {elsewhere}),
                    "in another pool: " + seen.stream().map(Arrays::toString).toList());
            seen.clear();
            busy.countDown();
            Books.await("three runs", () -> seen.size() == 3);
            close(pool);
            close(other);
            Rows.check(
                    Arrays.equals(seen.get(0), new Lease[] {first})
                            && seen.get(1).length == 0
                            && Arrays.equals(seen.get(2), new Lease[] {second}),
                    "seen: " + seen.stream().map(Arrays::toString).toList());
        }
    }

    private void chainedWithout() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<Lease[]> seen = source.thenApplyAsync(x -> LeaseContext.current(), pool);
        Lease lease = under(() -> {
            source.complete("x");
            Rows.check(LeaseContext.current().length == 1, "whoever completes has lost its lease");
        });
        Rows.check(seen.get().length == 0, "under " + lease + ": " + Arrays.toString(seen.get()));
        close(pool);
    }

    /** It may put tasks into tasks of its own, or run them at once. */
    private void ownExecutor() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Executor wrapping = task -> pool.execute(() -> task.run());
        Executor direct = Runnable::run;
        for (Executor executor : List.of(wrapping, direct)) {
            CompletableFuture<String> source = new CompletableFuture<>();
            AtomicReference<CompletableFuture<Lease[]>> seen = new AtomicReference<>();
            Lease lease = under(() -> seen.set(source.thenApplyAsync(x -> LeaseContext.current(), executor)));
            Lease[] before = LeaseContext.current();
            source.complete("x");
            Rows.check(
                    Arrays.equals(seen.get().get(), new Lease[] {lease}),
                    "seen: " + Arrays.toString(seen.get().get()));
            Rows.check(before.length == 0 && LeaseContext.current().length == 0, "left with whoever completes");
            CompletableFuture<Lease[]> started = new CompletableFuture<>();
            Lease other =
                    under(() -> CompletableFuture.runAsync(() -> started.complete(LeaseContext.current()), executor));
            Rows.check(
                    Arrays.equals(started.get(), new Lease[] {other}), "runAsync: " + Arrays.toString(started.get()));
        }
        close(pool);
    }

    private void nested() throws Exception {
        ExecutorService outer = Executors.newFixedThreadPool(2);
        ForkJoinPool inner = new ForkJoinPool(2);
        CompletableFuture<Lease[]> seen = new CompletableFuture<>();
        Lease lease = under(() -> outer.execute(() -> inner.execute(() -> seen.complete(LeaseContext.current()))));
        Rows.check(Arrays.equals(seen.get(), new Lease[] {lease}), "seen: " + Arrays.toString(seen.get()));
        close(outer);
        close(inner);
    }

    private void poolOfOne() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Lease kept = pool.submit(books::leave).get();
        AtomicReference<Lease[]> both = new AtomicReference<>();
        Lease lease = under(() -> both.set(pool.submit(LeaseContext::current).get()));
        Lease[] next = pool.submit(LeaseContext::current).get();
        pool.submit(() -> LeaseContext.ofCurrentThread().detach(kept)).get();
        close(pool);
        Rows.check(Arrays.equals(both.get(), new Lease[] {kept, lease}), "the task: " + Arrays.toString(both.get()));
        Rows.check(Arrays.equals(next, new Lease[] {kept}), "the next task: " + Arrays.toString(next));
    }

    private void nextTask() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 100; i++) {
            CyclicBarrier both = new CyclicBarrier(2);
            AtomicReference<Lease[]> inherited = new AtomicReference<>();
            Lease lease =
                    under(() -> inherited.set(pool.submit(LeaseContext::current).get()));
            Rows.check(Arrays.equals(inherited.get(), new Lease[] {lease}), "the task");
            Callable<Lease[]> look = () -> {
                both.await(20, TimeUnit.SECONDS);
                return LeaseContext.current();
            };
            for (Future<Lease[]> next : pool.invokeAll(Collections.nCopies(2, look))) {
                Rows.check(next.get().length == 0, "the next task: " + Arrays.toString(next.get()));
            }
        }
        close(pool);
    }

    private void leftBeside() throws Exception {
        for (Pools pools : List.<Pools>of(() -> Executors.newFixedThreadPool(2), () -> new ForkJoinPool(2))) {
            ExecutorService pool = pools.open();
            AtomicReference<Lease> left = new AtomicReference<>();
            Lease lease = under(() -> left.set(pool.submit(books::leave).get()));
            Books.await("not reported", () -> books.place(left.get()) != null);
            close(pool);
            Rows.check(books.place(lease) == null, "the inherited lease was set aside at " + books.place(lease));
        }
    }

    private void throwing() throws Exception {
        ThreadFactory quiet = task -> {
            Thread thread = new Thread(task);
            thread.setUncaughtExceptionHandler((t, e) -> {});
            return thread;
        };
        for (int size = 1; size <= 2; size++) {
            ExecutorService pool = Executors.newFixedThreadPool(size, quiet);
            CompletableFuture<Lease[]> seen = new CompletableFuture<>();
            Lease lease = under(() -> pool.execute(() -> {
                seen.complete(LeaseContext.current());
                throw new IllegalStateException("on purpose");
            }));
            Rows.check(Arrays.equals(seen.get(), new Lease[] {lease}), "seen: " + Arrays.toString(seen.get()));
            Books.await("something is left", () -> LeaseContext.active() == counted);
            Rows.check(pool.submit(LeaseContext::current).get().length == 0, "the next task");
            close(pool);
        }
    }

    private void rejected() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        List<Lease[]> seen = Collections.synchronizedList(new ArrayList<>());
        Runnable task = () -> {
            seen.add(LeaseContext.current());
            runs.incrementAndGet();
        };
        for (var handler : List.of(
                new ThreadPoolExecutor.AbortPolicy(),
                new ThreadPoolExecutor.DiscardPolicy(),
                new ThreadPoolExecutor.DiscardOldestPolicy(),
                new ThreadPoolExecutor.CallerRunsPolicy())) {
            seen.clear();
            CountDownLatch busy = new CountDownLatch(1);
            ThreadPoolExecutor pool =
                    new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(1), handler);
            occupy(pool, busy);
            pool.execute(() -> {});
            Lease lease = under(() -> {
                try {
                    pool.execute(task);
                    Rows.check(!(handler instanceof ThreadPoolExecutor.AbortPolicy), "not rejected");
                } catch (RejectedExecutionException e) {
                    Rows.check(handler instanceof ThreadPoolExecutor.AbortPolicy, "rejected");
                }
            });
            boolean runsInPool = handler instanceof ThreadPoolExecutor.DiscardOldestPolicy;
            if (handler instanceof ThreadPoolExecutor.CallerRunsPolicy) {
                Rows.check(Arrays.equals(seen.get(0), new Lease[] {lease}), "caller runs");
                seen.clear();
            }
            busy.countDown();
            Books.await(
                    "idle", () -> pool.getActiveCount() == 0 && pool.getQueue().isEmpty());
            Rows.check(seen.size() == (runsInPool ? 1 : 0), handler + " ran " + seen.size());
            Rows.check(
                    !runsInPool || Arrays.equals(seen.get(0), new Lease[] {lease}),
                    handler + ": " + seen.stream().map(Arrays::toString).toList());
            seen.clear();
            pool.submit(task).get();
            pool.execute(task);
            Books.await("two runs", () -> seen.size() == 2);
            Rows.check(
                    seen.get(0).length == 0 && seen.get(1).length == 0,
                    handler + ", later: " + seen.stream().map(Arrays::toString).toList());
            close(pool);
            Books.await(handler + " leaves something", () -> LeaseContext.active() == counted);
        }
        ExecutorService shut = Executors.newFixedThreadPool(1);
        close(shut);
        under(() -> {
            try {
                shut.execute(task);
            } catch (RejectedExecutionException expected) {
                return;
            }
            throw new IllegalStateException("a pool that was shut down takes tasks");
        });
        Books.await("something is left", () -> LeaseContext.active() == counted);
    }

    private interface TakenOut {
        void from(ThreadPoolExecutor pool, Runnable task) throws Exception;
    }

    /** Whatever has become of a submission, the next ones of the same object run under their own leases. */
    private void again() throws Exception {
        Map<String, TakenOut> ways = new LinkedHashMap<>();
        ways.put("discarded", (pool, task) -> under(() -> pool.execute(task)));
        ways.put("discarded for another", (pool, task) -> pool.execute(() -> {}));
        ways.put("cleared", (pool, task) -> pool.getQueue().clear());
        ways.put("drained", (pool, task) -> pool.getQueue().drainTo(new ArrayList<>()));
        ways.put("polled", (pool, task) -> pool.getQueue().poll());
        ways.put("removed", (pool, task) -> pool.getQueue().remove(task));
        ways.put("turned away", (pool, task) -> {
            pool.setRejectedExecutionHandler((rejected, executor) -> {});
            under(() -> pool.execute(task));
            pool.getQueue().clear();
        });
        for (var way : ways.entrySet()) {
            AtomicReference<List<Lease[]>> seen =
                    new AtomicReference<>(Collections.synchronizedList(new ArrayList<>()));
            Runnable task = () -> seen.get().add(LeaseContext.current());
            ThreadPoolExecutor pool = new ThreadPoolExecutor(
                    1,
                    1,
                    1,
                    TimeUnit.MINUTES,
                    new ArrayBlockingQueue<>(1),
                    new ThreadPoolExecutor.DiscardOldestPolicy());
            CountDownLatch busy = new CountDownLatch(1);
            occupy(pool, busy);
            under(() -> pool.execute(task));
            way.getValue().from(pool, task);
            busy.countDown();
            Books.await(
                    way.getKey() + ": not idle",
                    () -> pool.getActiveCount() == 0 && pool.getQueue().isEmpty());
            for (int round = 0; round < 3; round++) {
                seen.get().clear();
                Lease lease = under(() -> pool.execute(task));
                Books.await(way.getKey() + ": a run", () -> seen.get().size() == 1);
                Rows.check(
                        Arrays.equals(seen.get().get(0), new Lease[] {lease}),
                        way.getKey() + ", " + lease + ": "
                                + Arrays.toString(seen.get().get(0)));
                pool.execute(task);
                Books.await(way.getKey() + ": a run", () -> seen.get().size() == 2);
                Rows.check(
                        seen.get().get(1).length == 0,
                        way.getKey() + ", without: "
                                + Arrays.toString(seen.get().get(1)));
            }
            if (way.getKey().startsWith("discarded")) {
                Books.await(way.getKey() + " leaves something", () -> LeaseContext.active() == counted);
            }
            close(pool);
        }
        collected();
    }

    private void queuedBefore() throws Exception {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        CountDownLatch busy = new CountDownLatch(1);
        occupy(pool, busy);
        List<Lease[]> seen = Collections.synchronizedList(new ArrayList<>());
        Runnable task = () -> seen.add(LeaseContext.current());
        pool.execute(task);
        Lease lease = under(() -> pool.execute(task));
        busy.countDown();
        Books.await("two runs", () -> seen.size() == 2);
        close(pool);
        Rows.check(
                seen.get(0).length == 0 && Arrays.equals(seen.get(1), new Lease[] {lease}),
                "seen: " + seen.stream().map(Arrays::toString).toList());
    }

    private void shutDownNow() throws Exception {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        CountDownLatch running = new CountDownLatch(1);
        pool.execute(() -> {
            running.countDown();
            while (!Thread.currentThread().isInterrupted()) {
                LockSupport.park();
            }
        });
        await(running);
        Runnable task = () -> {};
        under(() -> {
            pool.execute(task);
            pool.execute(task);
        });
        Rows.check(pool.shutdownNow().equals(List.of(task, task)), "what is given back");
        close(pool);
        Books.await("something is left", () -> LeaseContext.active() == counted);
    }

    private void hostileTimer() throws Exception {
        AtomicReference<RuntimeException> hostile = new AtomicReference<>();
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1) {
            @Override
            public ThreadFactory getThreadFactory() {
                if (hostile.get() != null) {
                    throw hostile.get();
                }
                return super.getThreadFactory();
            }
        };
        // The pool asks for it as well, to make its threads.
        timer.prestartAllCoreThreads();
        hostile.set(new IllegalStateException("not for you"));
        List<Lease[]> seen = Collections.synchronizedList(new ArrayList<>());
        Lease lease = under(() -> {
            timer.schedule(() -> seen.add(LeaseContext.current()), 0, TimeUnit.MILLISECONDS);
            Books.await("a run", () -> seen.size() == 1);
        });
        Rows.check(Arrays.equals(seen.get(0), new Lease[] {lease}), "seen: " + Arrays.toString(seen.get(0)));
        timer.shutdown();
    }

    private void handlerThatQueues() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(1), (task, rejecting) -> {
                    busy.countDown();
                    try {
                        rejecting.getQueue().put(task);
                    } catch (InterruptedException e) {
                        throw new RejectedExecutionException(e);
                    }
                });
        occupy(pool, busy);
        pool.execute(() -> {});
        CompletableFuture<Lease[]> seen = new CompletableFuture<>();
        Lease lease = under(() -> pool.execute(() -> seen.complete(LeaseContext.current())));
        Rows.check(
                Arrays.equals(seen.get(20, TimeUnit.SECONDS), new Lease[] {lease}),
                "seen: " + Arrays.toString(seen.get()));
        close(pool);
    }

    private void removed() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        ScheduledThreadPoolExecutor scheduled = new ScheduledThreadPoolExecutor(1);
        scheduled.setRemoveOnCancelPolicy(true);
        occupy(pool, busy);
        List<Lease[]> seen = Collections.synchronizedList(new ArrayList<>());
        Runnable task = () -> seen.add(LeaseContext.current());
        under(() -> pool.execute(task));
        Rows.check(pool.getQueue().contains(task), "the queue does not find the task");
        Rows.check(pool.remove(task), "remove() does not find the task");
        Rows.check(pool.getQueue().isEmpty(), "it is still there");
        Lease second = under(() -> pool.execute(task));
        under(() -> {
            Future<?> cancelled = pool.submit(() -> {});
            Rows.check(cancelled.cancel(false), "not cancelled");
            pool.purge();
            Rows.check(
                    scheduled.schedule(() -> {}, 1, TimeUnit.HOURS).cancel(false),
                    "the scheduled one is not cancelled");
        });
        busy.countDown();
        Books.await("a run", () -> seen.size() == 1);
        Rows.check(
                Arrays.equals(seen.get(0), new Lease[] {second}),
                "the run has the leases of the submission that was removed: " + Arrays.toString(seen.get(0)));
        scheduled.shutdownNow();
        close(scheduled);
        close(pool);
        collected();
    }

    /** What never runs is forgotten with its task. */
    private void collected() throws Exception {
        Books.await("something is left: " + LeaseContext.active(), () -> {
            System.gc();
            LeaseContext.forgetEnded();
            return LeaseContext.active() == counted;
        });
    }

    private static final class Ordered implements Runnable, Comparable<Ordered> {
        private final int rank;
        private final List<String> runs;

        Ordered(int rank, List<String> runs) {
            this.rank = rank;
            this.runs = runs;
        }

        @Override
        public void run() {
            runs.add(rank + Arrays.toString(LeaseContext.current()));
        }

        @Override
        public int compareTo(Ordered other) {
            return Integer.compare(rank, other.rank);
        }
    }

    private void casts() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new PriorityBlockingQueue<>());
        occupy(pool, busy);
        List<String> runs = Collections.synchronizedList(new ArrayList<>());
        Ordered gone = new Ordered(2, runs);
        Lease lease = under(() -> {
            pool.execute(new Ordered(3, runs));
            pool.execute(gone);
            pool.execute(new Ordered(1, runs));
        });
        for (Runnable queued : pool.getQueue()) {
            Rows.check(((Ordered) queued).rank > 0, "cast");
        }
        Rows.check(pool.remove(gone), "remove() does not find the task");
        ThreadPoolExecutor other = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        occupy(other, busy);
        AtomicReference<Future<?>> future = new AtomicReference<>();
        under(() -> future.set(other.submit(gone)));
        Rows.check(other.getQueue().peek() == future.get() && future.get() instanceof FutureTask, "a future of ours");
        busy.countDown();
        Books.await("three runs", () -> runs.size() == 3);
        close(pool);
        close(other);
        runs.remove("2"
                + runs.stream()
                        .filter(run -> run.startsWith("2"))
                        .findFirst()
                        .orElse("2none")
                        .substring(1));
        Rows.check(runs.equals(List.of("1[" + lease + "]", "3[" + lease + "]")), "runs: " + runs);
    }

    private void periodic() throws Exception {
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(2);
        List<Lease[]> seen = Collections.synchronizedList(new ArrayList<>());
        under(() -> {
            pool.scheduleAtFixedRate(() -> seen.add(LeaseContext.current()), 0, 1, TimeUnit.MILLISECONDS);
            pool.scheduleWithFixedDelay(() -> seen.add(LeaseContext.current()), 0, 1, TimeUnit.MILLISECONDS);
            if (ForkJoinPool.commonPool() instanceof ScheduledExecutorService timer) {
                Future<?> periodic =
                        timer.scheduleAtFixedRate(() -> seen.add(LeaseContext.current()), 0, 1, TimeUnit.MILLISECONDS);
                Books.await("runs", () -> seen.size() > 20);
                periodic.cancel(false);
            }
            Books.await("runs", () -> seen.size() > 40);
        });
        pool.shutdownNow();
        close(pool);
        Rows.check(
                seen.stream().allMatch(leases -> leases.length == 0),
                "seen: " + seen.stream().map(Arrays::toString).distinct().toList());
    }

    /** Adds up, in pieces that are forked; each notes with what leases it runs. */
    private static final class Sum extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;

        private final int size;
        private final transient Map<List<Lease>, Integer> seen;

        Sum(int size, Map<List<Lease>, Integer> seen) {
            this.size = size;
            this.seen = seen;
        }

        @Override
        protected Integer compute() {
            seen.merge(List.of(LeaseContext.current()), 1, Integer::sum);
            if (size <= 1) {
                return size;
            }
            Sum left = new Sum(size / 2, seen);
            left.fork();
            int right = new Sum(size - size / 2, seen).compute();
            int sum = right + left.join();
            seen.merge(List.of(LeaseContext.current()), 1, Integer::sum);
            return sum;
        }
    }

    /** Each of three threads waits in one pool, which has no more workers than that: they help one another. */
    private void pieces() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(3);
        for (int round = 0; round < 20; round++) {
            List<Callable<Void>> callers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                boolean holds = i < 2;
                callers.add(() -> {
                    Map<List<Lease>, Integer> seen = new java.util.concurrent.ConcurrentHashMap<>();
                    Lease lease = holds ? books.leave() : null;
                    Rows.check(pool.invoke(new Sum(300, seen)) == 300, "the sum");
                    if (holds) {
                        LeaseContext.ofCurrentThread().detach(lease);
                    }
                    Rows.check(
                            seen.keySet().equals(java.util.Set.of(holds ? List.of(lease) : List.of())),
                            "pieces of " + lease + " saw " + seen);
                    return null;
                });
            }
            List<Thread> threads = new ArrayList<>();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            for (Callable<Void> caller : callers) {
                Thread thread = new Thread(() -> {
                    try {
                        caller.call();
                    } catch (Throwable t) {
                        failure.set(t);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            if (failure.get() != null) {
                throw new IllegalStateException(failure.get());
            }
        }
        close(pool);
    }

    private void parallelStream() throws Exception {
        Map<List<Lease>, Integer> seen = new java.util.concurrent.ConcurrentHashMap<>();
        AtomicInteger elsewhere = new AtomicInteger();
        Thread caller = Thread.currentThread();
        Lease lease = under(() -> {
            for (int round = 0; round < 200; round++) {
                IntStream.range(0, 2_000).parallel().forEach(i -> {
                    seen.merge(List.of(LeaseContext.current()), 1, Integer::sum);
                    if (Thread.currentThread() != caller) {
                        elsewhere.incrementAndGet();
                    }
                });
                Rows.check(LeaseContext.current().length == 1, "the caller's lease is gone");
            }
        });
        Rows.check(seen.keySet().equals(java.util.Set.of(List.of(lease))), "seen: " + seen);
        Rows.check(elsewhere.get() > 0 || ForkJoinPool.getCommonPoolParallelism() < 1, "no piece ran on a worker");
    }

    /** One worker: it runs the other's task itself while it waits. */
    private void helping() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(1);
        AtomicReference<Lease> other = new AtomicReference<>();
        Lease[] own = pool.submit(() -> {
                    Lease taken = books.leave();
                    CompletableFuture<Lease[]> foreign = new CompletableFuture<>();
                    CompletableFuture<Lease[]> foreignUnder = new CompletableFuture<>();
                    elsewhere(() -> {
                        CompletableFuture.runAsync(() -> foreign.complete(LeaseContext.current()), pool);
                        other.set(under(() ->
                                CompletableFuture.runAsync(() -> foreignUnder.complete(LeaseContext.current()), pool)));
                        return null;
                    });
                    CompletableFuture<Lease[]> mine = CompletableFuture.supplyAsync(LeaseContext::current, pool);
                    Rows.check(Arrays.equals(mine.join(), new Lease[] {taken}), "its own task");
                    Lease[] without = foreign.get();
                    Rows.check(without.length == 0, "another's task: " + Arrays.toString(without));
                    Rows.check(
                            Arrays.equals(foreignUnder.get(), new Lease[] {other.get()}),
                            "another holder's task: " + Arrays.toString(foreignUnder.get()));
                    Lease[] after = LeaseContext.current();
                    LeaseContext.ofCurrentThread().detach(taken);
                    Rows.check(Arrays.equals(after, new Lease[] {taken}), "its own is gone: " + Arrays.toString(after));
                    return after;
                })
                .get(20, TimeUnit.SECONDS);
        Rows.check(own.length == 1, "its own lease");
        close(pool);
    }

    /** They complete futures, on a thread that all share. */
    private void timeouts() throws Exception {
        CompletableFuture<Lease[]> seen = new CompletableFuture<>();
        under(() -> {
            CompletableFuture<String> source = new CompletableFuture<>();
            source.whenComplete((x, e) -> seen.complete(LeaseContext.current()));
            source.orTimeout(1, TimeUnit.MILLISECONDS);
            seen.get(20, TimeUnit.SECONDS);
        });
        Rows.check(seen.get().length == 0, "on the timer's thread: " + Arrays.toString(seen.get()));
    }

    private void excludedTask() throws Exception {
        books.exclude(Audit.class.getName());
        for (Pools pools : List.<Pools>of(
                () -> Executors.newFixedThreadPool(2),
                () -> Executors.newScheduledThreadPool(2),
                () -> new ForkJoinPool(2),
                Runtime.version().feature() >= 21 ? Inherited::virtualThreads : Executors::newCachedThreadPool)) {
            ExecutorService pool = pools.open();
            for (Style style : List.<Style>of(
                    (executor, work) -> executor.execute(new Audit(work)),
                    (executor, work) -> executor.submit((Runnable) new Audit(work)),
                    (executor, work) -> executor.submit(new Audit(work), "x"),
                    (executor, work) -> executor.submit((Callable<Void>) new Audit(work)),
                    (executor, work) -> CompletableFuture.runAsync(new Audit(work), executor),
                    (executor, work) -> CompletableFuture.supplyAsync(new Audit(work), executor))) {
                CompletableFuture<Lease[]> seen = new CompletableFuture<>();
                under(() -> {
                    style.give(pool, () -> {
                        seen.complete(LeaseContext.current());
                        return null;
                    });
                    Rows.check(LeaseContext.current().length == 1, "the submitter has lost its lease");
                });
                Rows.check(seen.get().length == 0, pool + ": " + Arrays.toString(seen.get()));
            }
            close(pool);
        }
        books.exclude();
    }

    private void excludedExecutor() throws Exception {
        books.exclude(Quiet.class.getName(), Threads.class.getName());
        for (ExecutorService pool : List.of(new Quiet(), Executors.newFixedThreadPool(2, new Threads()))) {
            AtomicReference<Lease[]> seen = new AtomicReference<>();
            under(() -> seen.set(pool.submit(LeaseContext::current).get()));
            Rows.check(seen.get().length == 0, pool + ": " + Arrays.toString(seen.get()));
            close(pool);
        }
        books.exclude();
    }

    private void ownThread() throws Exception {
        AtomicReference<Lease[]> seen = new AtomicReference<>();
        under(() -> {
            Thread thread = new Thread(() -> seen.set(LeaseContext.current()));
            thread.start();
            thread.join();
        });
        Rows.check(seen.get().length == 0, "seen: " + Arrays.toString(seen.get()));
    }

    /** Each request takes a lease, hands on work in several ways, some of which outlives it, and ends. */
    private void noLeak() throws Exception {
        ThreadPoolExecutor requests = new ThreadPoolExecutor(4, 4, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        ExecutorService work = Executors.newFixedThreadPool(3);
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        AtomicInteger wrong = new AtomicInteger();
        AtomicInteger ran = new AtomicInteger();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            all.add(requests.submit(() -> {
                Lease lease = books.leave();
                Runnable piece = () -> {
                    ran.incrementAndGet();
                    if (!Arrays.equals(LeaseContext.current(), new Lease[] {lease})) {
                        wrong.incrementAndGet();
                    }
                };
                try {
                    work.execute(piece);
                    CompletableFuture.runAsync(piece, work).thenRunAsync(piece, work);
                    CompletableFuture.runAsync(piece);
                    timer.schedule(piece, 1, TimeUnit.MILLISECONDS);
                } finally {
                    lease.release();
                    LeaseContext.ofCurrentThread().detach(lease);
                }
            }));
        }
        for (Future<?> request : all) {
            request.get();
        }
        Books.await("ran " + ran, () -> ran.get() == 50_000);
        // The pools live on: what is left on their threads would show.
        Books.await("threads have leases", () -> LeaseContext.threads() == 0);
        Books.await("something is counted: " + LeaseContext.active(), () -> LeaseContext.active() == counted);
        close(requests);
        close(work);
        close(timer);
        Rows.check(wrong.get() == 0, wrong + " pieces ran under other leases");
    }

    private void nothingIsLeft() throws Exception {
        collected();
        Books.await("threads have leases", () -> LeaseContext.threads() == 0);
    }

    private interface Action {
        void run() throws Exception;
    }

    /** Does something as the holder of a fresh lease, which it gives back. */
    private Lease under(Action action) throws Exception {
        Lease lease = books.leave();
        try {
            action.run();
        } finally {
            LeaseContext.ofCurrentThread().detach(lease);
        }
        return lease;
    }

    private static void elsewhere(Callable<?> action) throws Exception {
        CompletableFuture<Object> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                done.complete(action.call());
            } catch (Throwable t) {
                done.completeExceptionally(t);
            }
        });
        thread.start();
        thread.join();
        done.get();
    }

    private static final class Named implements Runnable {
        private final Callable<Void> work;

        Named(Callable<Void> work) {
            this.work = work;
        }

        @Override
        public void run() {
            call(work);
        }
    }

    private static final class Audit implements Runnable, Callable<Void>, java.util.function.Supplier<Void> {
        private final Callable<Void> work;

        Audit(Callable<Void> work) {
            this.work = work;
        }

        @Override
        public void run() {
            Inherited.call(work);
        }

        @Override
        public Void call() throws Exception {
            return work.call();
        }

        @Override
        public Void get() {
            return Inherited.call(work);
        }
    }

    private static final class Quiet extends ThreadPoolExecutor {
        Quiet() {
            super(2, 2, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        }
    }

    private static final class Threads implements ThreadFactory {
        @Override
        public Thread newThread(Runnable task) {
            return new Thread(task);
        }
    }

    private static ExecutorService virtualThreads() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RecursiveTask<Void> recursive(Callable<Void> work) {
        return new RecursiveTask<>() {
            @Override
            protected Void compute() {
                return call(work);
            }
        };
    }

    private static <T> T call(Callable<T> work) {
        try {
            return work.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            Rows.check(latch.await(20, TimeUnit.SECONDS), "waited 20 s");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void close(ExecutorService pool) throws InterruptedException {
        if (pool != ForkJoinPool.commonPool()) {
            pool.shutdown();
            Rows.check(pool.awaitTermination(20, TimeUnit.SECONDS), "the pool does not end");
        }
    }
}
