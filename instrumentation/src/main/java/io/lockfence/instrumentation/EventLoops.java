/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

/** Threads that serve many requests at once, recognised by their types' names: neither library's types are visible here. */
public final class EventLoops {
    private static final ClassValue<Boolean> EVENT_LOOP = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            for (Class<?> c = type; c != null; c = c.getSuperclass()) {
                if (c.getName().equals("io.netty.util.concurrent.FastThreadLocalThread")) {
                    return true;
                }
                for (Class<?> marker : c.getInterfaces()) {
                    if (marker.getName().equals("reactor.core.scheduler.NonBlocking")) {
                        return true;
                    }
                }
            }
            return false;
        }
    };

    private EventLoops() {}

    /** Whether the thread is one of netty's, Reactor's, Redisson's or our own. */
    public static boolean isEventLoop(Thread thread) {
        return EVENT_LOOP.get(thread.getClass())
                || thread.getName().startsWith("redisson-")
                || Workers.isWorker(thread);
    }
}
