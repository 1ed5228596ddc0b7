/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.reactornetty;

import io.lockfence.bootstrap.FencedException;
import io.lockfence.bootstrap.Lease;
import io.lockfence.instrumentation.Handles;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;

/** Reactor's core, as Reactor Netty's class loader sees it. */
final class Reactor {
    private static final ClassValue<Reactor> OF = new ClassValue<>() {
        @Override
        protected Reactor computeValue(Class<?> type) {
            return new Reactor(type);
        }
    };

    private final Class<?> subscriber;
    private final MethodHandle signalError;
    private final MethodHandle monoError;
    private final MethodHandle monoJust;
    private final MethodHandle monoFrom;
    private final MethodHandle monoSubscribe;
    private final MethodHandle fluxFrom;
    private final MethodHandle fluxSubscribe;
    private final MethodHandle propagate;
    private final MethodHandle unwrap;

    private Reactor(Class<?> type) {
        subscriber = Handles.type(type, "reactor.core.CoreSubscriber");
        Class<?> plain = Handles.type(type, "org.reactivestreams.Subscriber");
        Class<?> publisher = Handles.type(type, "org.reactivestreams.Publisher");
        Class<?> mono = Handles.type(type, "reactor.core.publisher.Mono");
        Class<?> flux = Handles.type(type, "reactor.core.publisher.Flux");
        Class<?> exceptions = Handles.type(type, "reactor.core.Exceptions");
        signalError =
                Handles.method(Handles.type(type, "reactor.core.publisher.Operators"), "error", plain, Throwable.class);
        monoError = Handles.method(mono, "error", Throwable.class);
        monoJust = Handles.method(mono, "just", Object.class);
        monoFrom = Handles.method(mono, "fromDirect", publisher);
        monoSubscribe = Handles.method(mono, "subscribe", plain);
        fluxFrom = Handles.method(flux, "from", publisher);
        fluxSubscribe = Handles.method(flux, "subscribe", Consumer.class, Consumer.class);
        propagate = Handles.method(exceptions, "propagate", Throwable.class);
        unwrap = Handles.method(exceptions, "unwrap", Throwable.class);
    }

    static Reactor of(Object neighbour) {
        return OF.get(neighbour.getClass());
    }

    void signalError(Object to, Throwable error) throws Throwable {
        Object unused = signalError.invoke(to, error);
    }

    Object monoError(Throwable error) throws Throwable {
        return monoError.invoke((Object) error);
    }

    Object monoJust(Object value) throws Throwable {
        return monoJust.invoke(value);
    }

    void subscribe(Object publisher, Object to) throws Throwable {
        Object unused = monoSubscribe.invoke(monoFrom.invoke(publisher), to);
    }

    /** Consumes a publisher for what it would do, not for what it gives. */
    void drain(Object publisher, Consumer<Object> each) throws Throwable {
        Consumer<Object> ignored = error -> {};
        Object unused = fluxSubscribe.invoke(fluxFrom.invoke(publisher), (Object) each, (Object) ignored);
    }

    RuntimeException unchecked(IOException refusal) throws Throwable {
        return (RuntimeException) propagate.invoke((Object) refusal);
    }

    /** The refusal in what {@link #unchecked} made; null if it is something else. */
    Throwable refusalIn(Throwable error) throws Throwable {
        Throwable inner = (Throwable) unwrap.invoke((Object) error);
        return inner != error && inner instanceof IOException && inner.getCause() instanceof FencedException
                ? inner
                : null;
    }

    /** A subscriber that hears what the given one hears, each signal under leases. */
    Object under(Lease[] leases, Object to) {
        InvocationHandler each = (proxy, method, arguments) -> {
            boolean signal = method.getName().startsWith("on");
            Object turn = signal ? Turn.begin(leases) : null;
            try {
                return method.invoke(to, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            } finally {
                Turn.end(turn);
            }
        };
        return Proxy.newProxyInstance(subscriber.getClassLoader(), new Class<?>[] {subscriber}, each);
    }
}
