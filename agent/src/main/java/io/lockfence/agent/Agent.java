/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.executors.ExecutorsLibrary;
import io.lockfence.instrumentation.jbossthreads.JBossThreadsLibrary;
import io.lockfence.instrumentation.jetty.JettyLibrary;
import io.lockfence.instrumentation.tomcat.TomcatLibrary;
import java.lang.instrument.Instrumentation;
import java.util.List;

/** Starts the agent in the isolated loader. */
public final class Agent {
    private static final List<Library> LIBRARIES =
            List.of(new ExecutorsLibrary(), new TomcatLibrary(), new JettyLibrary(), new JBossThreadsLibrary());

    private Agent() {}

    /**
     * Called once, in premain.
     *
     * @param arguments what follows {@code =} in {@code -javaagent:lockfence.jar=}; may be null
     */
    public static void start(String arguments, Instrumentation instrumentation) {
        Weaver weaver = new Weaver(LIBRARIES, (library, capabilities, missing, domain, loader) -> {});
        weaver.install(instrumentation);
        Thread warmUp = new Thread(null, () -> weaver.weaveLoaded(instrumentation), "lockfence-warm-up", 0, false);
        warmUp.setDaemon(true);
        warmUp.setContextClassLoader(null);
        warmUp.start();
    }
}
