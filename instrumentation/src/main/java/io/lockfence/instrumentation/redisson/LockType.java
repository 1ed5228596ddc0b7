/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.redisson;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * One class of Redisson's objects, as this integration uses it: Redisson's types are not visible here, so everything goes through
 * method handles, resolved once for each class. Thread safe.
 */
final class LockType {
    private static final String LOCK = "org.redisson.RedissonLock";
    private static final String FENCED = "org.redisson.RedissonFencedLock";

    /** Locks by inheritance that are shared, or not a service's own. */
    private static final Set<String> NOT_FENCED =
            Set.of("org.redisson.RedissonReadLock", "org.redisson.RedissonWriteLock");

    private static final String TRANSACTIONAL = "org.redisson.transaction.RedissonTransactionalLock";

    /** The value of a class refers to nothing but that class's own loader, so it lives and goes with it. */
    private static final ClassValue<LockType> TYPES = new ClassValue<>() {
        @Override
        protected LockType computeValue(Class<?> type) {
            return new LockType(type);
        }
    };

    private final Class<?> type;
    private final boolean lock;
    private final boolean fenceable;
    private final boolean transactional;
    private final boolean issuesTokens;
    private volatile Handles handles;

    private LockType(Class<?> type) {
        this.type = type;
        this.lock = extendsNamed(type, LOCK);
        this.transactional = extendsNamed(type, TRANSACTIONAL);
        this.fenceable = lock && !transactional && NOT_FENCED.stream().noneMatch(name -> extendsNamed(type, name));
        this.issuesTokens = extendsNamed(type, FENCED);
    }

    /** The type of an object of Redisson's; not null. */
    static LockType of(Object object) {
        return TYPES.get(object.getClass());
    }

    /** Whether the object is a {@code RedissonLock}. */
    boolean isLock() {
        return lock;
    }

    /** Whether its holds are fenced. */
    boolean isFenceable() {
        return fenceable;
    }

    /** Whether it is a lock that Redisson's own transactions take, which no service sees. */
    boolean isTransactional() {
        return transactional;
    }

    /** Whether it is a {@code RFencedLock}, which has a counter of its own. */
    boolean issuesTokens() {
        return issuesTokens;
    }

    /** The class's name as reports use it. */
    String simpleName() {
        return type.getSimpleName();
    }

    /** The lock's name as the service sees it. */
    String name(Object object) {
        return (String) call(handles().name, object);
    }

    /** The lock's name at the server, after the client's name mapper. */
    String rawName(Object object) {
        MethodHandle rawName = handles().rawName;
        return rawName == null ? name(object) : (String) call(rawName, object);
    }

    /** The hash field of one owner: client id and thread id. */
    String field(Object object, long threadId) {
        MethodHandle field = handles().field;
        if (field == null) {
            return "?:" + threadId;
        }
        try {
            return (String) field.invoke(object, threadId);
        } catch (Throwable t) {
            throw new IllegalStateException(shape("getLockName"), t);
        }
    }

    /** What a partial unlock sets the time left to, in milliseconds; 0 where it cannot be told. */
    long unlockLeaseMillis(Object object) {
        MethodHandle unlockLease = handles().unlockLease;
        return unlockLease == null ? 0 : (long) call(unlockLease, object);
    }

    /** What {@code RedissonBaseLock.renewExpirationAsync} sets the time left to, in milliseconds; -1 where it cannot be told. */
    long renewalLeaseMillis(Object object) {
        MethodHandle renewalLease = handles().renewalLease;
        return renewalLease == null ? -1 : (long) call(renewalLease, object);
    }

    /**
     * The object's way to the server.
     *
     * @throws IllegalStateException if this version of the library has none that is known
     */
    Server server(Object object) {
        Handles known = handles();
        if (known.rawName == null || known.field == null || known.executor == null || known.eval == null) {
            throw new IllegalStateException(shape("what scripts are sent through"));
        }
        return new Server(call(known.executor, object), known.eval);
    }

    /** The locks of a {@code RedissonMultiLock}. */
    static Object[] membersOf(Object multi) {
        LockType type = of(multi);
        return ((Collection<?>) type.call(getter(type.field("locks", "org.redisson.RedissonMultiLock")), multi))
                .toArray();
    }

    /** A future of Redisson's own type around a stage; null if it cannot be made. */
    Object future(CompletionStage<?> stage) {
        MethodHandle future = handles().future;
        return future == null ? null : call(future, stage);
    }

    /** A server, as one client reaches it. */
    record Server(Object executor, MethodHandle eval) {
        /**
         * Sends a script, with the client's own retries and time-outs.
         *
         * @return a stage of what the script returns: strings in a list
         */
        @SuppressWarnings("unchecked")
        CompletionStage<List<Object>> eval(String script, List<Object> keys, Object... arguments) throws Throwable {
            return (CompletionStage<List<Object>>)
                    (CompletionStage<?>) eval.invoke(executor, keys.get(0), script, keys, arguments);
        }
    }

    /** Each null where this version of the library has nothing of the kind. */
    private record Handles(
            MethodHandle name,
            MethodHandle rawName,
            MethodHandle field,
            MethodHandle unlockLease,
            MethodHandle renewalLease,
            MethodHandle executor,
            MethodHandle eval,
            MethodHandle future) {}

    private Handles handles() {
        Handles known = handles;
        if (known == null) {
            known = new Handles(
                    method("getName"),
                    method("getRawName"),
                    method("getLockName", long.class),
                    // Up to 3.19 RedissonLock hides its superclass's field of the same name, which is the one that
                    // renewals use.
                    getter(field("internalLockLeaseTime", null)),
                    getter(field("internalLockLeaseTime", "org.redisson.RedissonBaseLock")),
                    getter(field("commandExecutor", "org.redisson.RedissonObject")),
                    eval(),
                    future());
            handles = known;
        }
        return known;
    }

    private MethodHandle eval() {
        ClassLoader loader = type.getClassLoader();
        try {
            Class<?> codec = Class.forName("org.redisson.client.codec.Codec", false, loader);
            Class<?> command = Class.forName("org.redisson.client.protocol.RedisCommand", false, loader);
            Method evalWrite = Class.forName("org.redisson.command.CommandAsyncExecutor", false, loader)
                    .getMethod(
                            "evalWriteAsync", String.class, codec, command, String.class, List.class, Object[].class);
            Object strings = Class.forName("org.redisson.client.codec.StringCodec", true, loader)
                    .getField("INSTANCE")
                    .get(null);
            Object list = Class.forName("org.redisson.client.protocol.RedisCommands", true, loader)
                    .getField("EVAL_LIST")
                    .get(null);
            MethodHandle eval = MethodHandles.lookup().unreflect(evalWrite).asFixedArity();
            return MethodHandles.insertArguments(eval, 2, strings, list)
                    .asType(MethodType.methodType(
                            Object.class, Object.class, Object.class, String.class, List.class, Object[].class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    private MethodHandle future() {
        try {
            return MethodHandles.lookup()
                    .unreflectConstructor(
                            Class.forName("org.redisson.misc.CompletableFutureWrapper", true, type.getClassLoader())
                                    .getConstructor(CompletionStage.class))
                    .asType(MethodType.methodType(Object.class, Object.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    /** A method that returns a string, from the class upwards; null if there is none. */
    private MethodHandle method(String name, Class<?>... parameters) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Method method : c.getDeclaredMethods()) {
                if (method.getName().equals(name)
                        && List.of(method.getParameterTypes()).equals(List.of(parameters))
                        && method.getReturnType() == String.class) {
                    return open(method);
                }
            }
        }
        return null;
    }

    private static MethodHandle open(Method method) {
        try {
            method.setAccessible(true);
            MethodHandle handle = MethodHandles.lookup().unreflect(method);
            return handle.asType(handle.type().generic());
        } catch (IllegalAccessException | RuntimeException e) {
            return null;
        }
    }

    /** The first field of that name from the class upwards, or of the named superclass alone; null if there is none. */
    private Field field(String name, String declaring) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (declaring == null || c.getName().equals(declaring)) {
                for (Field field : c.getDeclaredFields()) {
                    if (field.getName().equals(name)) {
                        return field;
                    }
                }
            }
        }
        return null;
    }

    private static MethodHandle getter(Field field) {
        if (field == null) {
            return null;
        }
        try {
            field.setAccessible(true);
            return MethodHandles.lookup()
                    .unreflectGetter(field)
                    .asType(MethodType.methodType(Object.class, Object.class));
        } catch (IllegalAccessException | RuntimeException e) {
            return null;
        }
    }

    private Object call(MethodHandle handle, Object argument) {
        if (handle == null) {
            throw new IllegalStateException(shape("getName"));
        }
        try {
            return (Object) handle.invokeExact(argument);
        } catch (Throwable t) {
            throw new IllegalStateException(shape(handle.toString()), t);
        }
    }

    private String shape(String what) {
        return type.getName() + " is not of a shape that Lockfence knows: " + what
                + " is not as in Redisson 3.17.7 to 4.7.0";
    }

    private static boolean extendsNamed(Class<?> type, String name) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (c.getName().equals(name)) {
                return true;
            }
        }
        return false;
    }
}
