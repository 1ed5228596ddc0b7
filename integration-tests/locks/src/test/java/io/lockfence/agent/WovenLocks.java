/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.lang.instrument.Instrumentation;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import net.bytebuddy.agent.ByteBuddyAgent;

/** Weaves libraries in this JVM with the agent's own weaver, without the rest of the agent. */
public final class WovenLocks {
    private static boolean installed;

    private WovenLocks() {}

    /** Once for a JVM; also what is loaded already, as a test class may have that is looked through for its tests. */
    public static synchronized void install(Library... libraries) {
        if (installed) {
            return;
        }
        installed = true;
        AdviceLinker.adviceLoader(WovenLocks.class.getClassLoader());
        MethodWeaver noRules = new MethodWeaver(List.of(), null);
        Weaver weaver = new Weaver(List.of(libraries), noRules, (woven, missing, className, loader) -> {});
        Instrumentation instrumentation = ByteBuddyAgent.install();
        weaver.install(instrumentation);
        weaver.weaveLoaded(instrumentation);
    }

    /**
     * The level of a version of a library whose classes are these.
     *
     * @param bytes of a class by its name, or null where the version has no such class
     */
    public static Library.Level level(Library library, ClassLoader loader, Function<String, byte[]> bytes) {
        Set<String> capabilities = new HashSet<>();
        for (Point point : library.points()) {
            byte[] found = bytes.apply(point.className());
            if (found != null
                    && !Weaving.weave(point.className(), found, loader, List.of(point))
                            .matched()
                            .isEmpty()) {
                capabilities.add(point.capability());
            }
        }
        return library.level(capabilities);
    }
}
