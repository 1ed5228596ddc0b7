/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.instrumentation.Library;
import java.util.List;
import net.bytebuddy.agent.ByteBuddyAgent;

/** Weaves a library in this JVM with the agent's own weaver, without the rest of the agent. */
public final class WovenLocks {
    private static boolean installed;

    private WovenLocks() {}

    /** Before the first class of the library is loaded; once for a JVM. */
    public static synchronized void install(Library library) {
        if (installed) {
            return;
        }
        installed = true;
        AdviceLinker.adviceLoader(WovenLocks.class.getClassLoader());
        MethodWeaver noRules = new MethodWeaver(List.of(), null);
        new Weaver(List.of(library), noRules, (woven, missing, className, loader) -> {})
                .install(ByteBuddyAgent.install());
    }
}
