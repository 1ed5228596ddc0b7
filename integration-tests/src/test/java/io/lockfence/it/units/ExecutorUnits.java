/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/** Every executor of the JDK with a task that leaves a lease. Prints "ok ROW" or "failed ROW: why" for each. */
public final class ExecutorUnits {
    /** A task that left a lease, and the thread that it ran on. */
    private record Left(Lease lease, Thread thread) {}

    private final Books books;

    private ExecutorUnits(Books books) {
        this.books = books;
    }

    public static void main(String[] arguments) throws Exception {
        Books books = Books.open();
        new ExecutorUnits(books).all();
        Rows.row("no faults", books::close);
        System.out.println("end");
        System.exit(0);
    }

    private void all() throws Exception {
        setsAside("fixed pool of two", () -> Executors.newFixedThreadPool(2));
        setsAside("cached pool", Executors::newCachedThreadPool);
        setsAside("scheduled pool of three", () -> Executors.newScheduledThreadPool(3));
        setsAside(
                "one core thread and a bounded queue",
                () -> new ThreadPoolExecutor(1, 4, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(4)));
        setsAside("fork/join pool", () -> new ForkJoinPool(3));
        setsAside("fork/join pool of one", () -> new ForkJoinPool(1));
        setsAside("work-stealing pool", () -> Executors.newWorkStealingPool(2));
        setsAside("common pool", ForkJoinPool::commonPool);
        keeps("single thread", Executors::newSingleThreadExecutor);
        keeps("fixed pool of one", () -> Executors.newFixedThreadPool(1));
        keeps("single scheduled thread", Executors::newSingleThreadScheduledExecutor);
        keeps("scheduled pool of one", () -> Executors.newScheduledThreadPool(1));
        keeps(
                "one core thread, many at most, unbounded queue",
                () -> new ThreadPoolExecutor(1, 9, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>()));

        forkJoin("submit(Callable)", (pool, task) -> pool.submit(task).get());
        forkJoin(
                "invokeAll",
                (pool, task) -> pool.invokeAll(List.of(task)).get(0).get());
        forkJoin("invokeAny", (pool, task) -> pool.invokeAny(List.of(task)));
        forkJoin("execute(Runnable)", (pool, task) -> {
            CompletableFuture<Left> result = new CompletableFuture<>();
            pool.execute(() -> complete(result, task));
            return result.get();
        });
        forkJoin("submit(Runnable)", (pool, task) -> {
            CompletableFuture<Left> result = new CompletableFuture<>();
            pool.submit(() -> complete(result, task));
            return result.get();
        });
        forkJoin(
                "adapted Callable",
                (pool, task) -> pool.submit(ForkJoinTask.adapt(task)).get());
        forkJoin("invoke(RecursiveTask)", (pool, task) -> pool.invoke(recursive(task)));
        forkJoin(
                "supplyAsync",
                (pool, task) ->
                        CompletableFuture.supplyAsync(() -> call(task), pool).get());
        forkJoin(
                "thenApplyAsync",
                (pool, task) -> CompletableFuture.completedFuture("x")
                        .thenApplyAsync(x -> call(task), pool)
                        .get());
        forkJoin("runAsync, then dependents", (pool, task) -> {
            CountDownLatch chained = new CountDownLatch(1);
            AtomicReference<Left> left = new AtomicReference<>();
            CompletableFuture<Void> chain = CompletableFuture.runAsync(() -> await(chained), pool)
                    .thenRun(() -> left.set(call(task)))
                    .thenRunAsync(() -> {}, pool);
            chained.countDown();
            chain.get();
            return left.get();
        });
        if (ForkJoinPool.commonPool() instanceof ScheduledExecutorService) {
            forkJoin(
                    "schedule",
                    (pool, task) -> ((ScheduledExecutorService) (Object) pool)
                            .schedule(task, 1, TimeUnit.MILLISECONDS)
                            .get());
        }

        Rows.row("CompletableFuture on a pool of two", this::completableFutureOnAPool);
        Rows.row("a task that throws", this::aTaskThatThrows);
        Rows.row("a task that throws in a pool of one", this::aTaskThatThrowsInAPoolOfOne);
        Rows.row("a periodic task", this::aPeriodicTask);
        Rows.row("a worker that helps while it waits", this::aWorkerThatHelps);
        Rows.row("parallel stream of a holder", this::parallelStream);
        Rows.row("fork and join of a holder", this::forkAndJoinOfAHolder);
        Rows.row("caller runs", this::callerRuns);
        Rows.row("queues keep their elements", this::queues);
        Rows.row("a thread of its own", this::freshThread);
        if (Runtime.version().feature() >= 21) {
            Rows.row("virtual threads", this::virtualThreads);
        }
        Rows.row(
                "nothing is left on any thread",
                () -> Books.await("threads have leases", () -> LeaseContext.threads() == 0));
    }

    private Left leave() {
        return leaveBeside();
    }

    private Left leaveBeside(Lease... inherited) {
        Rows.check(
                Arrays.equals(LeaseContext.current(), inherited),
                "the task begins with " + Arrays.toString(LeaseContext.current()));
        return new Left(books.leave(), Thread.currentThread());
    }

    private void setsAside(String name, Callable<ExecutorService> factory) {
        Rows.row(name + " sets aside", () -> {
            ExecutorService pool = factory.call();
            try {
                for (int round = 0; round < 50; round++) {
                    Left left = on(pool, this::leave);
                    sees(pool, left.thread(), 0);
                    String place = books.place(left.lease());
                    Rows.check(place != null && place.contains(left.thread().getName()), "reported at " + place);
                }
            } finally {
                close(pool);
            }
        });
    }

    private void keeps(String name, Callable<ExecutorService> factory) {
        Rows.row(name + " keeps", () -> {
            ExecutorService pool = factory.call();
            try {
                int ends = books.taskEnds();
                Left left = pool.submit(this::leave).get();
                sees(pool, left.thread(), 1);
                Rows.check(books.taskEnds() > ends, "the end of the task was not reported");
                Rows.check(books.place(left.lease()) == null, "set aside at " + books.place(left.lease()));
                pool.submit(() -> LeaseContext.ofCurrentThread().detach(left.lease()))
                        .get();
                sees(pool, left.thread(), 0);
            } finally {
                close(pool);
            }
        });
    }

    private interface Submission {
        Left run(ForkJoinPool pool, Callable<Left> task) throws Exception;
    }

    private void forkJoin(String name, Submission submission) {
        Rows.row("fork/join " + name, () -> {
            ForkJoinPool pool = new ForkJoinPool(1);
            try {
                for (int round = 0; round < 50; round++) {
                    Left left = submission.run(pool, this::leave);
                    Rows.check(left.thread() != Thread.currentThread(), "ran in the caller");
                    sees(pool, left.thread(), 0);
                    Books.await("not reported", () -> books.place(left.lease()) != null);
                }
            } finally {
                close(pool);
            }
        });
    }

    private void completableFutureOnAPool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            Left left = CompletableFuture.supplyAsync(this::leave, pool).get();
            sees(pool, left.thread(), 0);
            Books.await("not reported", () -> books.place(left.lease()) != null);
        } finally {
            close(pool);
        }
    }

    private void aTaskThatThrows() throws Exception {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), quiet());
        throwsOn(pool);
    }

    private void aTaskThatThrowsInAPoolOfOne() throws Exception {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), quiet());
        throwsOn(pool);
    }

    private void throwsOn(ThreadPoolExecutor pool) throws Exception {
        AtomicReference<Left> left = new AtomicReference<>();
        pool.execute(() -> {
            left.set(leave());
            throw new IllegalStateException("on purpose");
        });
        Books.await(
                "the lease of a dead thread is not reported",
                () -> left.get() != null && books.place(left.get().lease()) != null);
        close(pool);
    }

    private static ThreadFactory quiet() {
        return task -> {
            Thread thread = new Thread(task);
            thread.setUncaughtExceptionHandler((t, e) -> {});
            return thread;
        };
    }

    private void aPeriodicTask() throws Exception {
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(2);
        try {
            CountDownLatch runs = new CountDownLatch(20);
            List<Lease> left = Collections.synchronizedList(new ArrayList<>());
            AtomicReference<Throwable> failure = new AtomicReference<>();
            pool.scheduleWithFixedDelay(
                    () -> {
                        try {
                            if (runs.getCount() > 0) {
                                left.add(leave().lease());
                            }
                        } catch (Throwable t) {
                            failure.set(t);
                        }
                        runs.countDown();
                    },
                    0,
                    1,
                    TimeUnit.MILLISECONDS);
            Rows.check(runs.await(20, TimeUnit.SECONDS), "too few runs");
            Rows.check(failure.get() == null, "a run: " + failure.get());
            Books.await("not reported", () -> left.stream().allMatch(lease -> books.place(lease) != null));
        } finally {
            pool.shutdownNow();
            close(pool);
        }
    }

    private void aWorkerThatHelps() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(1);
        try {
            Left outer = pool.submit(() -> {
                        Left own = leave();
                        // One worker: it runs this itself, before join() returns; the other perhaps (JDK 25) as well.
                        Left adapted =
                                pool.submit(() -> leaveBeside(own.lease())).join();
                        Left async = CompletableFuture.supplyAsync(() -> leaveBeside(own.lease()), pool)
                                .join();
                        Rows.check(adapted.thread() == own.thread(), "did not help");
                        Rows.check(books.place(adapted.lease()) != null, "not reported");
                        Books.await("not reported", () -> books.place(async.lease()) != null);
                        Rows.check(
                                LeaseContext.current().length == 1 && LeaseContext.current()[0] == own.lease(),
                                "its own lease is gone: " + Arrays.toString(LeaseContext.current()));
                        return own;
                    })
                    .get();
            sees(pool, outer.thread(), 0);
        } finally {
            close(pool);
        }
    }

    private void parallelStream() throws Exception {
        Lease own = books.leave();
        try {
            var seen = ConcurrentHashMap.<List<Lease>>newKeySet();
            IntStream.range(0, 20_000).parallel().forEach(i -> seen.add(List.of(LeaseContext.current())));
            Rows.check(seen.equals(Set.of(List.of(own))), "its pieces saw " + seen);
            Rows.check(LeaseContext.current().length == 1, "the caller's lease is gone");
        } finally {
            LeaseContext.ofCurrentThread().detach(own);
        }
    }

    private void forkAndJoinOfAHolder() throws Exception {
        Lease own = books.leave();
        try {
            ForkJoinPool.commonPool().invoke(recursive(() -> null));
            for (int i = 0; i < 200; i++) {
                ForkJoinPool.commonPool().submit(() -> {}).join();
                Rows.check(LeaseContext.current().length == 1, "the caller's lease is gone");
            }
        } finally {
            LeaseContext.ofCurrentThread().detach(own);
        }
    }

    private void callerRuns() throws Exception {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                1, 1, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), new ThreadPoolExecutor.CallerRunsPolicy());
        CountDownLatch busy = new CountDownLatch(1);
        Lease own = books.leave();
        try {
            pool.execute(() -> await(busy));
            AtomicReference<Lease[]> seen = new AtomicReference<>();
            pool.execute(() -> seen.set(LeaseContext.current()));
            Rows.check(seen.get() != null && seen.get().length == 1, "the caller's own lease is its task's as well");
            Rows.check(LeaseContext.current().length == 1, "the caller's lease is gone");
        } finally {
            LeaseContext.ofCurrentThread().detach(own);
            busy.countDown();
            close(pool);
        }
    }

    private void queues() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        ScheduledThreadPoolExecutor scheduled = new ScheduledThreadPoolExecutor(1);
        try {
            pool.execute(() -> await(busy));
            class Mine implements Runnable, Comparable<Mine> {
                @Override
                public void run() {}

                @Override
                public int compareTo(Mine other) {
                    return 0;
                }
            }
            Mine mine = new Mine();
            pool.execute(mine);
            pool.submit(mine);
            Object[] queued = pool.getQueue().toArray();
            Rows.check(queued[0] == mine && queued[1] instanceof FutureTask, Arrays.toString(queued));
            Rows.check(pool.remove(mine), "remove() does not find the task");
            scheduled.schedule(mine, 1, TimeUnit.HOURS);
            RunnableScheduledFuture<?> first =
                    (RunnableScheduledFuture<?>) scheduled.getQueue().peek();
            Rows.check(
                    first != null && first.getDelay(TimeUnit.MINUTES) > 50 && scheduled.remove(first),
                    "scheduled queue");
        } finally {
            busy.countDown();
            scheduled.shutdownNow();
            close(pool);
        }
    }

    private void freshThread() throws Exception {
        AtomicReference<Left> left = new AtomicReference<>();
        Thread thread = new Thread(() -> left.set(leave()));
        thread.start();
        thread.join();
        AtomicReference<Lease[]> next = new AtomicReference<>();
        Thread other = new Thread(() -> next.set(LeaseContext.current()));
        other.start();
        other.join();
        Rows.check(next.get().length == 0, "seen by the next thread");
        Rows.check(books.place(left.get().lease()) == null, "a thread that ends is no unit");
    }

    private void virtualThreads() throws Exception {
        ExecutorService pool = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        try {
            List<Callable<Left>> tasks = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                tasks.add(() -> {
                    Left left = leave();
                    Thread.sleep(1);
                    Rows.check(
                            LeaseContext.current().length == 1 && LeaseContext.current()[0] == left.lease(),
                            "lost on the way");
                    return left;
                });
            }
            for (var future : pool.invokeAll(tasks)) {
                Rows.check(books.place(future.get().lease()) == null, "a thread that ends is no unit");
            }
        } finally {
            close(pool);
        }
    }

    /** Runs tasks until one has come to the thread; that one must see this number of leases. */
    private static void sees(ExecutorService pool, Thread thread, int leases) throws Exception {
        for (int attempt = 0; attempt < 20_000; attempt++) {
            Lease[] seen = on(pool, () -> Thread.currentThread() == thread ? LeaseContext.current() : null);
            if (seen != null) {
                Rows.check(seen.length == leases, "the next task sees " + Arrays.toString(seen) + " on " + thread);
                return;
            }
        }
        throw new IllegalStateException("no task came to " + thread);
    }

    /** Not {@code submit(task).get()}: a caller that waits for a task of the common pool may run it itself. */
    private static <T> T on(ExecutorService pool, Callable<T> task) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        pool.submit(() -> complete(result, task));
        return result.get();
    }

    private static void await(CountDownLatch latch) {
        try {
            Rows.check(latch.await(20, TimeUnit.SECONDS), "waited 20 s");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> RecursiveTask<T> recursive(Callable<T> task) {
        return new RecursiveTask<>() {
            @Override
            protected T compute() {
                return call(task);
            }
        };
    }

    private static <T> void complete(CompletableFuture<T> result, Callable<T> task) {
        try {
            result.complete(task.call());
        } catch (Throwable t) {
            result.completeExceptionally(t);
        }
    }

    private static <T> T call(Callable<T> task) {
        try {
            return task.call();
        } catch (Exception e) {
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
