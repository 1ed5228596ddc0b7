/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.units;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** The thread pool of a servlet container, by name, with tasks that leave a lease. */
public final class PoolUnits {
    private PoolUnits() {}

    public static void main(String[] arguments) throws Exception {
        Books books = Books.open();
        Executor pool = switch (arguments[0]) {
            case "jetty" -> jetty();
            case "jboss" -> jboss();
            default -> throw new IllegalArgumentException(arguments[0]);
        };
        Rows.row("a task that leaves a lease", () -> tasks(books, pool, false));
        Rows.row("a task that leaves a lease and throws", () -> tasks(books, pool, true));
        if (arguments[0].equals("jetty")) {
            Rows.row("tasks of a thread that produces them", () -> producer(books, pool));
            Rows.row("tasks of a reserved thread", () -> reserved(books, pool));
        }
        Rows.row(
                "nothing is left on any thread",
                () -> Books.await("threads have leases", () -> LeaseContext.threads() == 0));
        Rows.row("no faults", books::close);
        System.out.println("end");
        System.exit(0);
    }

    private static void tasks(Books books, Executor pool, boolean throwing) throws Exception {
        AtomicInteger reused = new AtomicInteger();
        Map<Thread, Lease> last = new ConcurrentHashMap<>();
        for (int i = 0; i < 500; i++) {
            CompletableFuture<Lease> result = new CompletableFuture<>();
            pool.execute(() -> {
                complete(result, () -> {
                    Rows.check(LeaseContext.current().length == 0, "the task begins with a lease");
                    Lease lease = books.leave();
                    if (last.put(Thread.currentThread(), lease) != null) {
                        reused.incrementAndGet();
                    }
                    return lease;
                });
                if (throwing) {
                    throw new IllegalStateException("on purpose");
                }
            });
            Lease lease = result.get();
            Books.await("not reported", () -> books.place(lease) != null);
        }
        Rows.check(throwing || reused.get() > 100, "threads were not used again: " + reused);
    }

    /** {@code ExecutionStrategy}: the thread that produces a task also runs it, and goes on to the next one. */
    private static void producer(Books books, Executor pool) throws Exception {
        String strategies = "org.eclipse.jetty.util.thread.strategy.";
        Class<?> producerType = Class.forName("org.eclipse.jetty.util.thread.ExecutionStrategy$Producer");
        int tasks = 200;
        AtomicInteger produced = new AtomicInteger();
        AtomicInteger poisoned = new AtomicInteger();
        CompletableFuture<Void> done = new CompletableFuture<>();
        Object producer = Proxy.newProxyInstance(
                PoolUnits.class.getClassLoader(), new Class<?>[] {producerType}, (proxy, method, arguments) -> {
                    int number = produced.incrementAndGet();
                    if (!method.getName().equals("produce") || number > tasks) {
                        return null;
                    }
                    return (Runnable) () -> {
                        poisoned.addAndGet(LeaseContext.current().length);
                        books.leave();
                        if (number == tasks) {
                            done.complete(null);
                        }
                    };
                });
        Class<?> strategyType;
        try {
            strategyType = Class.forName(strategies + "AdaptiveExecutionStrategy");
        } catch (ClassNotFoundException e) {
            strategyType = Class.forName(strategies + "EatWhatYouKill");
        }
        Object strategy =
                strategyType.getConstructor(producerType, Executor.class).newInstance(producer, pool);
        strategyType.getMethod("start").invoke(strategy);
        int before = books.leftOvers();
        strategyType.getMethod("dispatch").invoke(strategy);
        done.get();
        Books.await("reported " + (books.leftOvers() - before), () -> books.leftOvers() - before == tasks);
        Rows.check(poisoned.get() == 0, "tasks began with leases: " + poisoned);
    }

    /** A reserved thread waits for its tasks within one endless job of the pool. */
    private static void reserved(Books books, Executor pool) throws Exception {
        Class<?> type = Class.forName("org.eclipse.jetty.util.thread.TryExecutor");
        Method tryExecute = type.getMethod("tryExecute", Runnable.class);
        int accepted = 0;
        for (int i = 0; i < 5_000 && accepted < 100; i++) {
            CompletableFuture<Lease> result = new CompletableFuture<>();
            Runnable task = () -> complete(result, () -> {
                Rows.check(LeaseContext.current().length == 0, "the task begins with a lease");
                return books.leave();
            });
            if ((boolean) tryExecute.invoke(pool, task)) {
                accepted++;
                Lease lease = result.get();
                Books.await("not reported", () -> books.place(lease) != null);
            } else {
                Thread.sleep(1);
            }
        }
        Rows.check(accepted == 100, "accepted " + accepted);
    }

    private static <T> void complete(CompletableFuture<T> result, Callable<T> task) {
        try {
            result.complete(task.call());
        } catch (Throwable t) {
            result.completeExceptionally(t);
        }
    }

    private static Executor jetty() throws ReflectiveOperationException {
        Class<?> type = Class.forName("org.eclipse.jetty.util.thread.QueuedThreadPool");
        Object pool = type.getConstructor(int.class, int.class).newInstance(8, 4);
        type.getMethod("start").invoke(pool);
        return (Executor) pool;
    }

    private static Executor jboss() throws ReflectiveOperationException {
        Class<?> type = Class.forName("org.jboss.threads.EnhancedQueueExecutor$Builder");
        Object builder = type.getConstructor().newInstance();
        type.getMethod("setCorePoolSize", int.class).invoke(builder, 2);
        type.getMethod("setMaximumPoolSize", int.class).invoke(builder, 4);
        return (Executor) type.getMethod("build").invoke(builder);
    }
}
