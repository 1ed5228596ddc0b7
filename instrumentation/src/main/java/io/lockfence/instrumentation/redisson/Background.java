/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import io.lockfence.instrumentation.Workers;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A thread of our own. */
final class Background {
    /** For time-outs and looks at holds; nothing that runs here blocks. */
    static final ScheduledThreadPoolExecutor TIMER = timer();

    private Background() {}

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(1, Workers.threads("lockfence-redisson-timer-"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(5, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }
}
