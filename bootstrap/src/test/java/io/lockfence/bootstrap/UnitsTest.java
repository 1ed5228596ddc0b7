/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UnitsTest {
    private final Recorder recorder = Recorder.connect();
    private final Lease lease = Leases.living("a");
    private final BlockingQueue<Runnable> unbounded = new LinkedBlockingQueue<>();

    @BeforeEach
    void somebodyHoldsALease() {
        LeaseContext.activate();
    }

    @AfterEach
    void nothingIsLeft() {
        LeaseContext.endUnit(null);
        LeaseContext.deactivate();
    }

    @Test
    void aPoolOfSeveralThreadsSetsAside() {
        LeaseContext.ofCurrentThread().attach(lease);

        Units.workerAsks(2, 2, unbounded);

        assertThat(LeaseContext.current()).isEmpty();
        assertThat(recorder.leftOvers).singleElement().satisfies(leftOver -> {
            assertThat(leftOver.leases()).containsExactly(lease);
            assertThat(leftOver.place()).contains(Thread.currentThread().getName());
        });
    }

    @Test
    void aPoolOfOneThreadKeeps() {
        LeaseContext context = LeaseContext.ofCurrentThread();
        context.attach(lease);

        Units.workerAsks(1, 1, unbounded);

        assertThat(LeaseContext.current()).containsExactly(lease);
        assertThat(recorder.taskEnds).containsExactly(context);
        assertThat(recorder.leftOvers).isEmpty();
    }

    @Test
    void aPoolOfOneThreadKeepsAnAcquisitionThatIsUnderWay() {
        LeaseContext context = LeaseContext.ofCurrentThread();
        context.expecting();

        Units.workerAsks(1, 1, unbounded);
        context.attach(lease);
        context.settled();

        assertThat(LeaseContext.current()).containsExactly(lease);
    }

    @Test
    void aPoolOfOneThreadKeepsNoEmptyContext() {
        LeaseContext.ofCurrentThread();

        Units.workerAsks(1, 1, unbounded);

        assertThat(LeaseContext.of(Thread.currentThread())).isNull();
    }

    @Test
    void aPoolIsAsLargeAsItGrows() {
        BlockingQueue<Runnable> filled = new LinkedBlockingQueue<>();
        filled.add(() -> {});
        ScheduledThreadPoolExecutor scheduled = new ScheduledThreadPoolExecutor(1);
        scheduled.shutdown();

        assertThat(Units.effectiveSize(1, Integer.MAX_VALUE, scheduled.getQueue()))
                .as("scheduled: its maximum is never used")
                .isEqualTo(1);
        assertThat(Units.effectiveSize(1, 8, unbounded)).as("unbounded queue").isEqualTo(1);
        assertThat(Units.effectiveSize(1, 8, filled))
                .as("unbounded queue with tasks in it")
                .isEqualTo(1);
        assertThat(Units.effectiveSize(0, 8, unbounded))
                .as("no core, unbounded queue")
                .isEqualTo(1);
        assertThat(Units.effectiveSize(1, 8, new ArrayBlockingQueue<>(4)))
                .as("bounded queue")
                .isEqualTo(8);
        assertThat(Units.effectiveSize(0, Integer.MAX_VALUE, new SynchronousQueue<>()))
                .as("cached")
                .isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void aCallerThatHelpsKeepsItsLease() {
        LeaseContext.ofCurrentThread().attach(lease);

        Object begun = Units.beginTask(ForkJoinTask.adapt(() -> {}));

        assertThat(begun).as("no unit of its own").isNull();
        assertThat(LeaseContext.current()).containsExactly(lease);
    }

    @Test
    void aForkJoinWorkerThatHelpsSetsItsLeaseAsideMeanwhile() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(1);
        try {
            pool.submit(() -> {
                        LeaseContext.ofCurrentThread().attach(lease);
                        Object begun = Units.beginTask(ForkJoinTask.adapt(() -> {}));
                        assertThat(LeaseContext.current()).isEmpty();
                        Units.endTask(begun);
                        assertThat(LeaseContext.current()).containsExactly(lease);
                        LeaseContext.endUnit(null);
                    })
                    .get();
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void aTaskInAPoolOfOneHasWhatItsThreadKeepsAndWhatItInherits() {
        LeaseContext context = LeaseContext.ofCurrentThread();
        context.attach(lease);
        Lease given = Leases.living("given");
        Lease taken = Leases.living("taken");
        Object pool = new Object();
        Object task = new Object();
        Inheritance.hand(task, pool, new Lease[] {lease, given});
        int counted = LeaseContext.active();

        Units.taskBegins(pool, unbounded, task);
        assertThat(LeaseContext.current()).containsExactly(lease, given);
        context.attach(taken);
        Units.workerAsks(1, 1, unbounded);

        assertThat(LeaseContext.current()).containsExactly(lease, taken);
        assertThat(LeaseContext.active())
                .as("what the task inherited counts no more")
                .isEqualTo(counted - 1);
        assertThat(recorder.leftOvers).isEmpty();
    }

    @Test
    void aLeaseThatATaskInheritsAndTakesItselfIsItsOwn() {
        Object pool = new Object();
        Object task = new Object();
        Inheritance.hand(task, pool, new Lease[] {lease});

        Units.taskBegins(pool, unbounded, task);
        LeaseContext.ofCurrentThread().attach(lease);
        Units.workerAsks(1, 1, unbounded);

        assertThat(LeaseContext.current()).containsExactly(lease);
        assertThat(LeaseContext.active()).isEqualTo(1);
    }

    @Test
    void aTurnHasItsOwnLeasesAndLeavesWhatItTookOnTheThread() {
        Lease given = Leases.living("given");
        Lease taken = Leases.living("taken");
        LeaseContext.ofCurrentThread().attach(lease);

        Object turn = Units.beginTurn(new Lease[] {given});
        assertThat(LeaseContext.current()).containsExactly(given);
        assertThat(Units.beginTurn(new Lease[] {given})).as("the same again").isNull();
        LeaseContext.ofCurrentThread().attach(taken);
        Units.endTurn(turn);

        assertThat(LeaseContext.current()).containsExactly(lease, taken);
        assertThat(LeaseContext.active()).isEqualTo(1);
        assertThat(recorder.leftOvers).isEmpty();
    }

    @Test
    void aTaskThatAPoolRefusesLeavesNothing() {
        LeaseContext.ofCurrentThread().attach(lease);
        Object pool = new Object();

        Object task = new Object();
        Object submission = Submissions.submitted(pool, null, task);
        assertThat(Inheritance.look(task, pool)).containsExactly(lease);
        Submissions.returned(submission, new RejectedExecutionException());
        assertThat(Inheritance.look(task, pool)).as("refused").isNull();
        assertThat(recorder.faults).isEmpty();
    }

    @Test
    void aScopeShowsItsLeasesAloneAndWhatHasBecomeOfTheThreadsOwnAfterwards() {
        Object name = new Object();
        Lease own = Leases.living("own");
        Lease taken = Leases.living("taken");
        LeaseContext context = LeaseContext.ofCurrentThread();
        context.attach(own);

        Units.openScope(new Lease[] {lease}, name);
        assertThat(LeaseContext.current()).containsExactly(lease);
        LeaseContext.ofCurrentThread().attach(taken);
        context.detach(own);
        Units.closeScope(name);

        assertThat(LeaseContext.current()).as("released one stays away").containsExactly(taken);
        Units.closeScope(name);
        assertThat(LeaseContext.current()).as("closed again").containsExactly(taken);
        assertThat(recorder.leftOvers).isEmpty();
    }

    @Test
    void aScopeThatBeganWithNothingNewHidesNothingWhenItIsClosed() {
        Object[] names = {new Object(), null};
        for (Object name : names) {
            LeaseContext.endUnit(null);
            Units.openScope(new Lease[0], name);
            LeaseContext.ofCurrentThread().attach(lease);
            Units.closeScope(name);
            assertThat(LeaseContext.current()).containsExactly(lease);
        }
    }

    @Test
    void scopesWithoutNamesAreClosedFromTheInside() {
        Units.openScope(new Lease[] {lease}, null);
        Units.openScope(new Lease[0], new Object());
        Units.openScope(new Lease[0], null);
        Units.closeScope(null);
        assertThat(LeaseContext.current()).as("within the second").isEmpty();
        Units.closeScope(null);
        assertThat(LeaseContext.of(Thread.currentThread())).isNull();
    }

    @Test
    void aScopeClosesThoseThatWereLeftOpenInIt() {
        int counted = LeaseContext.active();
        Object outer = new Object();
        Units.openScope(new Lease[] {lease}, outer);
        Units.openScope(new Lease[] {Leases.living("b")}, new Object());
        Units.openScope(new Lease[0], new Object());

        Units.closeScope(outer);

        assertThat(LeaseContext.of(Thread.currentThread())).isNull();
        assertThat(LeaseContext.active()).isEqualTo(counted);
    }

    @Test
    void aScopeInAnotherUnitLeavesTheOuterOneToItself() {
        int counted = LeaseContext.active();
        Object outer = new Object();
        Object inner = new Object();
        Units.openScope(new Lease[] {lease}, outer);

        LeaseContext before = LeaseContext.beginUnit();
        Units.openScope(new Lease[] {Leases.living("b")}, inner);
        Units.closeScope(outer);
        assertThat(LeaseContext.current()).as("closed from another unit").hasSize(1);
        Units.closeScope(inner);
        assertThat(LeaseContext.current()).isEmpty();
        Units.end(before, null);

        assertThat(LeaseContext.current()).containsExactly(lease);
        Units.closeScope(outer);
        assertThat(LeaseContext.current()).isEmpty();
        assertThat(LeaseContext.active()).isEqualTo(counted);
    }

    @Test
    void aUnitEndsWithItsScopes() {
        int counted = LeaseContext.active();
        Lease taken = Leases.living("taken");
        LeaseContext.ofCurrentThread().attach(lease);
        LeaseContext before = LeaseContext.beginUnit(new Lease[] {Leases.living("b")});
        Units.openScope(new Lease[] {Leases.living("c")}, new Object());
        LeaseContext.ofCurrentThread().attach(taken);

        Units.end(before, "there");

        assertThat(LeaseContext.current()).containsExactly(lease);
        assertThat(recorder.leftOvers)
                .singleElement()
                .satisfies(leftOver -> assertThat(leftOver.leases()).containsExactly(taken));
        LeaseContext.endUnit(null);

        for (int size = 1; size <= 2; size++) {
            LeaseContext.ofCurrentThread().lend(new Lease[] {lease});
            Units.openScope(new Lease[] {Leases.living("d")}, new Object());
            Units.openScope(new Lease[0], new Object());
            Units.workerAsks(size, size, unbounded);
            assertThat(LeaseContext.of(Thread.currentThread()))
                    .as("pool of " + size)
                    .isNull();
        }
        assertThat(LeaseContext.active()).isEqualTo(counted);
    }
}
