/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.LeaseContext;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What an asynchronous acquire call returns to the service: whatever the service chains to it, at any length, runs under the lease, on
 * whatever thread it runs. That is the completing thread, or the one that chains where the future has completed before; so neither can
 * carry the lease for it.
 *
 * <p>Behaves as the stage that it stands for. Completing or cancelling it completes or cancels that one, if it can be, so that the library gives a
 * lock back that comes too late.
 */
public final class LeasedFuture<T> extends CompletableFuture<T> {
    private static final ThreadLocal<LeaseContext> DELIVERED_TO = new ThreadLocal<>();

    private final Supplier<Lease> lease;
    private final LeaseContext context;
    private final CompletionStage<T> source;
    private final Waits waits;

    /** What becomes of the threads that wait for the future, or for one that was made of it. Called on the thread itself; must not throw. */
    public interface Waits {
        /** The current thread has waited in vain, and goes on as one that has nothing. */
        void gaveUp();

        /** The current thread has seen the future completed, and not failed. */
        void told();
    }

    /**
     * @param lease null before it has begun, or if none has
     * @param context of the thread that the lease goes on; null for none
     * @param source what the library returned; the caller settles this future when it has completed
     */
    public LeasedFuture(Supplier<Lease> lease, LeaseContext context, CompletionStage<T> source) {
        this(lease, context, source, null);
    }

    /**
     * @param waits null if nobody wants to know
     * @see #LeasedFuture(Supplier, LeaseContext, CompletionStage)
     */
    public LeasedFuture(Supplier<Lease> lease, LeaseContext context, CompletionStage<T> source, Waits waits) {
        this.lease = lease;
        this.context = context;
        this.source = source;
        this.waits = waits;
    }

    /**
     * Where a lease goes that the calling thread takes for itself, or where it belongs that the continuations on this thread run under: an event loop
     * serves everybody, so a lease of another owner has no business on it. But what is chained to one acquisition may acquire the next, as
     * {@code RedissonMultiLock} does for its members: then both leases go on one thread.
     *
     * @return null for no thread
     */
    public static LeaseContext contextOfCaller() {
        return EventLoops.isEventLoop(Thread.currentThread()) ? DELIVERED_TO.get() : LeaseContext.ofCurrentThread();
    }

    /** The source has completed, and the lease has begun if it was a success. */
    public void settle(T value, Throwable failure) {
        if (failure == null) {
            super.complete(value);
        } else {
            super.completeExceptionally(failure);
        }
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new LeasedFuture<>(lease, context, null, waits);
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        T value;
        try {
            value = super.get();
        } catch (InterruptedException e) {
            gaveUp();
            throw e;
        }
        told();
        return value;
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        T value;
        try {
            value = super.get(timeout, unit);
        } catch (InterruptedException | TimeoutException e) {
            gaveUp();
            throw e;
        }
        told();
        return value;
    }

    @Override
    public T join() {
        T value = super.join();
        told();
        return value;
    }

    @Override
    public T getNow(T absent) {
        boolean done = isDone();
        T value = super.getNow(absent);
        if (done) {
            told();
        }
        return value;
    }

    private void gaveUp() {
        if (waits != null) {
            waits.gaveUp();
        }
    }

    private void told() {
        if (waits != null) {
            waits.told();
        }
    }

    @Override
    public boolean complete(T value) {
        return atSource(future -> future.complete(value)).orElseGet(() -> super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return atSource(future -> future.completeExceptionally(failure))
                .orElseGet(() -> super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return atSource(future -> future.cancel(mayInterruptIfRunning))
                .orElseGet(() -> super.cancel(mayInterruptIfRunning));
    }

    /** Empty if the source is no future, or a stage that nobody can complete. */
    private Optional<Boolean> atSource(Predicate<CompletableFuture<T>> completion) {
        if (source instanceof CompletableFuture<T> future) {
            try {
                return Optional.of(completion.test(future));
            } catch (UnsupportedOperationException e) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    private <R> R under(Supplier<R> work) {
        Lease under = lease.get();
        if (under == null || under.released()) {
            return work.get();
        }
        LeaseContext here = LeaseContext.ofCurrentThread();
        boolean attached = !List.of(here.leases()).contains(under) && here.attach(under);
        LeaseContext outer = DELIVERED_TO.get();
        deliverTo(context);
        try {
            return work.get();
        } finally {
            deliverTo(outer);
            if (attached) {
                here.detach(under);
            }
        }
    }

    private static void deliverTo(LeaseContext context) {
        if (context == null) {
            DELIVERED_TO.remove();
        } else {
            DELIVERED_TO.set(context);
        }
    }

    private Runnable leased(Runnable action) {
        Objects.requireNonNull(action);
        return () -> under(() -> {
            action.run();
            return null;
        });
    }

    private <A> Consumer<A> leased(Consumer<A> action) {
        Objects.requireNonNull(action);
        return a -> under(() -> {
            action.accept(a);
            return null;
        });
    }

    private <A, B> BiConsumer<A, B> leased(BiConsumer<A, B> action) {
        Objects.requireNonNull(action);
        return (a, b) -> under(() -> {
            action.accept(a, b);
            return null;
        });
    }

    private <A, R> Function<A, R> leased(Function<A, R> function) {
        Objects.requireNonNull(function);
        return a -> under(() -> function.apply(a));
    }

    private <A, B, R> BiFunction<A, B, R> leased(BiFunction<A, B, R> function) {
        Objects.requireNonNull(function);
        return (a, b) -> under(() -> function.apply(a, b));
    }

    @Override
    public <U> CompletableFuture<U> thenApply(Function<? super T, ? extends U> fn) {
        return super.thenApply(leased(fn));
    }

    @Override
    public <U> CompletableFuture<U> thenApplyAsync(Function<? super T, ? extends U> fn) {
        return super.thenApplyAsync(leased(fn));
    }

    @Override
    public <U> CompletableFuture<U> thenApplyAsync(Function<? super T, ? extends U> fn, Executor executor) {
        return super.thenApplyAsync(leased(fn), executor);
    }

    @Override
    public CompletableFuture<Void> thenAccept(Consumer<? super T> action) {
        return super.thenAccept(leased(action));
    }

    @Override
    public CompletableFuture<Void> thenAcceptAsync(Consumer<? super T> action) {
        return super.thenAcceptAsync(leased(action));
    }

    @Override
    public CompletableFuture<Void> thenAcceptAsync(Consumer<? super T> action, Executor executor) {
        return super.thenAcceptAsync(leased(action), executor);
    }

    @Override
    public CompletableFuture<Void> thenRun(Runnable action) {
        return super.thenRun(leased(action));
    }

    @Override
    public CompletableFuture<Void> thenRunAsync(Runnable action) {
        return super.thenRunAsync(leased(action));
    }

    @Override
    public CompletableFuture<Void> thenRunAsync(Runnable action, Executor executor) {
        return super.thenRunAsync(leased(action), executor);
    }

    @Override
    public <U, V> CompletableFuture<V> thenCombine(
            CompletionStage<? extends U> other, BiFunction<? super T, ? super U, ? extends V> fn) {
        return super.thenCombine(other, leased(fn));
    }

    @Override
    public <U, V> CompletableFuture<V> thenCombineAsync(
            CompletionStage<? extends U> other, BiFunction<? super T, ? super U, ? extends V> fn) {
        return super.thenCombineAsync(other, leased(fn));
    }

    @Override
    public <U, V> CompletableFuture<V> thenCombineAsync(
            CompletionStage<? extends U> other, BiFunction<? super T, ? super U, ? extends V> fn, Executor executor) {
        return super.thenCombineAsync(other, leased(fn), executor);
    }

    @Override
    public <U> CompletableFuture<Void> thenAcceptBoth(
            CompletionStage<? extends U> other, BiConsumer<? super T, ? super U> action) {
        return super.thenAcceptBoth(other, leased(action));
    }

    @Override
    public <U> CompletableFuture<Void> thenAcceptBothAsync(
            CompletionStage<? extends U> other, BiConsumer<? super T, ? super U> action) {
        return super.thenAcceptBothAsync(other, leased(action));
    }

    @Override
    public <U> CompletableFuture<Void> thenAcceptBothAsync(
            CompletionStage<? extends U> other, BiConsumer<? super T, ? super U> action, Executor executor) {
        return super.thenAcceptBothAsync(other, leased(action), executor);
    }

    @Override
    public CompletableFuture<Void> runAfterBoth(CompletionStage<?> other, Runnable action) {
        return super.runAfterBoth(other, leased(action));
    }

    @Override
    public CompletableFuture<Void> runAfterBothAsync(CompletionStage<?> other, Runnable action) {
        return super.runAfterBothAsync(other, leased(action));
    }

    @Override
    public CompletableFuture<Void> runAfterBothAsync(CompletionStage<?> other, Runnable action, Executor executor) {
        return super.runAfterBothAsync(other, leased(action), executor);
    }

    @Override
    public <U> CompletableFuture<U> applyToEither(CompletionStage<? extends T> other, Function<? super T, U> fn) {
        return super.applyToEither(other, leased(fn));
    }

    @Override
    public <U> CompletableFuture<U> applyToEitherAsync(CompletionStage<? extends T> other, Function<? super T, U> fn) {
        return super.applyToEitherAsync(other, leased(fn));
    }

    @Override
    public <U> CompletableFuture<U> applyToEitherAsync(
            CompletionStage<? extends T> other, Function<? super T, U> fn, Executor executor) {
        return super.applyToEitherAsync(other, leased(fn), executor);
    }

    @Override
    public CompletableFuture<Void> acceptEither(CompletionStage<? extends T> other, Consumer<? super T> action) {
        return super.acceptEither(other, leased(action));
    }

    @Override
    public CompletableFuture<Void> acceptEitherAsync(CompletionStage<? extends T> other, Consumer<? super T> action) {
        return super.acceptEitherAsync(other, leased(action));
    }

    @Override
    public CompletableFuture<Void> acceptEitherAsync(
            CompletionStage<? extends T> other, Consumer<? super T> action, Executor executor) {
        return super.acceptEitherAsync(other, leased(action), executor);
    }

    @Override
    public CompletableFuture<Void> runAfterEither(CompletionStage<?> other, Runnable action) {
        return super.runAfterEither(other, leased(action));
    }

    @Override
    public CompletableFuture<Void> runAfterEitherAsync(CompletionStage<?> other, Runnable action) {
        return super.runAfterEitherAsync(other, leased(action));
    }

    @Override
    public CompletableFuture<Void> runAfterEitherAsync(CompletionStage<?> other, Runnable action, Executor executor) {
        return super.runAfterEitherAsync(other, leased(action), executor);
    }

    @Override
    public <U> CompletableFuture<U> thenCompose(Function<? super T, ? extends CompletionStage<U>> fn) {
        return super.thenCompose(leased(fn));
    }

    @Override
    public <U> CompletableFuture<U> thenComposeAsync(Function<? super T, ? extends CompletionStage<U>> fn) {
        return super.thenComposeAsync(leased(fn));
    }

    @Override
    public <U> CompletableFuture<U> thenComposeAsync(
            Function<? super T, ? extends CompletionStage<U>> fn, Executor executor) {
        return super.thenComposeAsync(leased(fn), executor);
    }

    @Override
    public <U> CompletableFuture<U> handle(BiFunction<? super T, Throwable, ? extends U> fn) {
        return super.handle(leased(fn));
    }

    @Override
    public <U> CompletableFuture<U> handleAsync(BiFunction<? super T, Throwable, ? extends U> fn) {
        return super.handleAsync(leased(fn));
    }

    @Override
    public <U> CompletableFuture<U> handleAsync(BiFunction<? super T, Throwable, ? extends U> fn, Executor executor) {
        return super.handleAsync(leased(fn), executor);
    }

    @Override
    public CompletableFuture<T> whenComplete(BiConsumer<? super T, ? super Throwable> action) {
        return super.whenComplete(leased(action));
    }

    @Override
    public CompletableFuture<T> whenCompleteAsync(BiConsumer<? super T, ? super Throwable> action) {
        return super.whenCompleteAsync(leased(action));
    }

    @Override
    public CompletableFuture<T> whenCompleteAsync(BiConsumer<? super T, ? super Throwable> action, Executor executor) {
        return super.whenCompleteAsync(leased(action), executor);
    }

    @Override
    public CompletableFuture<T> exceptionally(Function<Throwable, ? extends T> fn) {
        return super.exceptionally(leased(fn));
    }

    @Override
    public CompletableFuture<T> exceptionallyAsync(Function<Throwable, ? extends T> fn) {
        return super.exceptionallyAsync(leased(fn));
    }

    @Override
    public CompletableFuture<T> exceptionallyAsync(Function<Throwable, ? extends T> fn, Executor executor) {
        return super.exceptionallyAsync(leased(fn), executor);
    }

    @Override
    public CompletableFuture<T> exceptionallyCompose(Function<Throwable, ? extends CompletionStage<T>> fn) {
        return super.exceptionallyCompose(leased(fn));
    }

    @Override
    public CompletableFuture<T> exceptionallyComposeAsync(Function<Throwable, ? extends CompletionStage<T>> fn) {
        return super.exceptionallyComposeAsync(leased(fn));
    }

    @Override
    public CompletableFuture<T> exceptionallyComposeAsync(
            Function<Throwable, ? extends CompletionStage<T>> fn, Executor executor) {
        return super.exceptionallyComposeAsync(leased(fn), executor);
    }
}
