/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of classes, as the libraries have them. */
class HousekeepingTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.lang.VirtualThread$$Lambda/0x00007f8c1c0a1b00",
                "java.util.concurrent.CompletableFuture$Timeout",
                "jdk.internal.net.http.common.SequentialScheduler$SchedulableTask",
                "jdk.internal.net.http.HttpClientImpl$DefaultThreadFactory",
                "io.netty.util.concurrent.SingleThreadEventExecutor$4",
                "com.zaxxer.hikari.pool.HikariPool$PoolEntryCreator",
                "com.zaxxer.hikari.pool.HikariPool$$Lambda/0x00007f8c1c0a1b00",
                "org.redisson.renewal.RenewalTask",
                "org.apache.tomcat.util.net.NioEndpoint$SocketProcessor",
                "org.eclipse.jetty.server.internal.HttpConnection",
                "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread",
                "kotlinx.coroutines.internal.DispatchedContinuation",
                "com.google.common.util.concurrent.SequentialExecutor$QueueWorker",
                "io.vertx.core.impl.TaskQueue$$Lambda/0x00007f8c1c0a1b00",
                "io.reactivex.rxjava3.internal.schedulers.ExecutorScheduler$ExecutorWorker",
                "reactor.core.scheduler.ExecutorScheduler$ExecutorSchedulerTrampolineWorker",
                "org.springframework.scheduling.concurrent.ReschedulingRunnable"
            })
    void whatServesEverybodyInheritsNothing(String name) {
        assertThat(Housekeeping.why(name)).isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.util.concurrent.FutureTask",
                "reactor.core.scheduler.WorkerTask",
                "io.reactivex.rxjava3.internal.schedulers.ScheduledRunnable",
                "io.reactivex.rxjava3.internal.schedulers.ExecutorScheduler$ExecutorWorker$BooleanRunnable",
                "io.reactivex.internal.schedulers.ExecutorScheduler$ExecutorWorker$InterruptibleRunnable",
                "java.util.concurrent.CompletableFuture$AsyncSupply",
                "java.util.concurrent.CompletableFuture$UniApply",
                "java.util.concurrent.CompletableFuture$TaskSubmitter",
                "com.example.Orders$$Lambda/0x00007f8c1c0a1b00",
                "org.springframework.scheduling.concurrent.DelegatingErrorHandlingCallable",
                "org.apache.catalina.core.AsyncContextImpl$RunnableWrapper"
            })
    void workOfTheServiceInherits(String name) {
        assertThat(Housekeeping.why(name)).isNull();
    }
}
