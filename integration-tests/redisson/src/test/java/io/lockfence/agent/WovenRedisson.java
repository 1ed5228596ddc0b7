package io.lockfence.agent;

import io.lockfence.bootstrap.AdviceLinker;
import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.redisson.RedissonLibrary;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import net.bytebuddy.agent.ByteBuddyAgent;

/** Weaves Redisson in this JVM with the agent's own weaver, without the rest of the agent. */
public final class WovenRedisson {
    private static final Set<String> CAPABILITIES = ConcurrentHashMap.newKeySet();
    private static final Library LIBRARY = new RedissonLibrary();
    private static boolean installed;

    private WovenRedisson() {}

    /** Before the first class of Redisson is loaded; once for a JVM. */
    public static synchronized void install() {
        if (installed) {
            return;
        }
        installed = true;
        AdviceLinker.adviceLoader(WovenRedisson.class.getClassLoader());
        new Weaver(List.of(LIBRARY), (library, capabilities, missing, domain, loader) -> CAPABILITIES.addAll(capabilities))
                .install(ByteBuddyAgent.install());
    }

    /** What was woven so far, in any class loader. */
    public static Library.Level level() {
        return LIBRARY.level(CAPABILITIES);
    }

    /** Forgets what was woven so far. */
    public static void forget() {
        CAPABILITIES.clear();
    }
}
