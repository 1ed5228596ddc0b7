/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.classes.MethodOutline;
import io.lockfence.agent.cli.scan.Event.Taken;
import io.lockfence.agent.cli.scan.Event.Touched;
import io.lockfence.agent.cli.scan.LockTable.LockMethod;
import io.lockfence.agent.cli.scan.LockTable.Role;
import io.lockfence.agent.cli.scan.Value.Call;
import io.lockfence.agent.cli.scan.Value.Constant;
import io.lockfence.agent.cli.scan.Value.Field;
import io.lockfence.agent.cli.scan.Value.Operation;
import io.lockfence.agent.cli.scan.Value.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * Locks of the service's own, made of {@code SET NX}, where a rule can name their methods: one that makes a single attempt and tells by its result whether
 * the lock is held, with a name and a lease that are made of its arguments, and one of the same class that deletes the same key.
 */
final class OwnLocks {
    /**
     * A lock as a rule has it.
     *
     * @param library whose {@code SET NX} it is
     * @param place where that stands
     * @param type simple name of the class
     * @param acquire as rules write them, as are the others
     */
    record OwnLock(
            String library,
            Place place,
            String type,
            List<String> acquire,
            String resource,
            String lease,
            List<String> renew,
            List<String> release) {
        /** Whether both take the same locks. */
        boolean same(OwnLock other) {
            return place.className().equals(other.place().className())
                    && library.equals(other.library())
                    && resource.equals(other.resource());
        }

        private OwnLock and(OwnLock other) {
            List<String> both = new ArrayList<>(acquire);
            both.addAll(other.acquire());
            return new OwnLock(library, place, type, List.copyOf(both), resource, lease, renew, release);
        }
    }

    /** Stand around a path in a name, until its braces are doubled. */
    private static final char OPEN = '\uE000';

    private static final char CLOSE = '\uE001';

    private static final Set<String> NUMBERS = Set.of(
            "J", "I", "S", "B", "Ljava/lang/Long;", "Ljava/lang/Integer;", "Ljava/lang/Short;", "Ljava/lang/Byte;");
    private static final Set<String> CONVERSIONS = Set.of("valueOf", "longValue", "intValue", "toIntExact");
    /** Of what {@code Duration} and {@code TimeUnit} are turned into. */
    private static final Map<String, String> SCALES = Map.of("toMillis", "ms", "toSeconds", "s", "getSeconds", "s");

    private static final String DURATION = "Ljava/time/Duration;";
    private static final String UNIT = "Ljava/util/concurrent/TimeUnit;";
    private static final Map<String, String> UNITS = Map.of(
            "NANOSECONDS",
            "ns",
            "MICROSECONDS",
            "us",
            "MILLISECONDS",
            "ms",
            "SECONDS",
            "s",
            "MINUTES",
            "m",
            "HOURS",
            "h");
    private static final Map<String, String> FACTORIES =
            Map.of("ofNanos", "ns", "ofMillis", "ms", "ofSeconds", "s", "ofMinutes", "m", "ofHours", "h");

    private final Scopes scopes;
    private final OwnMethods service;

    private OwnLocks(Scopes scopes) {
        this.scopes = scopes;
        this.service = scopes.service();
    }

    static List<OwnLock> of(Scopes scopes) {
        OwnLocks found = new OwnLocks(scopes);
        List<OwnLock> locks = new ArrayList<>();
        for (MethodFacts method : scopes.methods()) {
            for (Event event : method.events()) {
                if (event instanceof Taken taken && isSetNx(taken) && tells(method, found.service, taken)) {
                    add(locks, found.lock(method, taken));
                }
            }
        }
        return locks;
    }

    /** Overloads are one lock. */
    private static void add(List<OwnLock> locks, OwnLock lock) {
        if (lock == null) {
            return;
        }
        for (int i = 0; i < locks.size(); i++) {
            if (locks.get(i).same(lock) && locks.get(i).lease().equals(lock.lease())) {
                locks.set(i, locks.get(i).and(lock));
                return;
            }
        }
        locks.add(lock);
    }

    private static boolean isSetNx(Taken taken) {
        return taken.method() != null
                && taken.method().role() == Role.TRY
                && !taken.method().library().confirmed();
    }

    /** Whether it is one attempt, and the method's result says if it succeeded. */
    private static boolean tells(MethodFacts method, OwnMethods service, Taken taken) {
        return service.summary(method).taken().stream()
                        .anyMatch(lock -> lock.onResult() && Value.alike(lock.identity(), taken.identity()))
                && method.events().stream().noneMatch(event -> event instanceof Event.Paused);
    }

    private OwnLock lock(MethodFacts method, Taken taken) {
        Paths paths = paths(method);
        String resource = paths == null ? null : paths.template(taken.name());
        String lease = resource == null || resource.indexOf('{') < 0 ? null : paths.lease(taken);
        if (lease == null) {
            return null;
        }
        List<String> renew = new ArrayList<>();
        List<String> release = new ArrayList<>();
        for (MethodFacts other : scopes.methods()) {
            if (other.owner().equals(method.owner()) && !other.key().equals(method.key())) {
                Role role = role(other, taken.library(), resource);
                if (role == Role.RELEASE) {
                    release.add(paths(other).written());
                } else if (role == Role.RENEW && fits(lease, paths, paths(other))) {
                    renew.add(paths(other).written());
                }
            }
        }
        String type = method.owner().substring(method.owner().lastIndexOf('/') + 1);
        return release.isEmpty()
                ? null
                : new OwnLock(
                        taken.library(),
                        method.at(taken.line()),
                        type.substring(type.lastIndexOf('$') + 1),
                        List.of(paths.written()),
                        resource,
                        lease,
                        renew,
                        release);
    }

    /** What a method does to the key of this lock; null if nothing, or more than one thing. */
    private Role role(MethodFacts method, String library, String resource) {
        Paths paths = paths(method);
        Role role = null;
        for (Event event : method.events()) {
            if (event instanceof Taken) {
                return null;
            }
            if (paths != null
                    && event instanceof Touched touched
                    && touched.library().equals(library)
                    && resource.equals(paths.template(touched.identity()))) {
                Role does = does(touched);
                if (does == null || (role != null && role != does)) {
                    return null;
                }
                role = does;
            }
        }
        return role;
    }

    /** A script tells by its text. */
    private Role does(Touched touched) {
        if (!touched.script()) {
            return Role.RELEASE;
        }
        String script = text(touched.arguments().get(0), 0);
        return script == null ? null : Simulation.scriptRole(script);
    }

    private String text(Value value, int depth) {
        if (value instanceof Constant constant) {
            return constant.value() instanceof String text ? text : null;
        }
        if (depth < 4 && value instanceof Field field) {
            Value assigned = scopes.origins().plain(field);
            return assigned == field ? null : text(assigned, depth + 1);
        }
        return value instanceof Call call && !call.operands().isEmpty()
                ? text(call.operands().get(0), depth + 1)
                : null;
    }

    /** Whether a renewal has the lease where the acquire has it, and tells whether it succeeded. */
    private static boolean fits(String lease, Paths acquire, Paths renew) {
        String result = Type.getReturnType(renew.outline.descriptor()).getDescriptor();
        if (result.equals("V") || NUMBERS.contains(result)) {
            return false;
        }
        for (String word : lease.split(" ", -1)) {
            if (word.matches("arg[0-9]+.*")) {
                int index = Integer.parseInt(word.replaceAll("^arg([0-9]+).*", "$1"));
                if (index >= renew.types.length || !renew.types[index].equals(acquire.types[index])) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Null for what rules cannot name: lambdas, constructors. */
    private Paths paths(MethodFacts method) {
        MethodOutline outline = service.outline(method);
        return outline == null || outline.name().startsWith("<") || outline.isBridge()
                ? null
                : new Paths(method.owner(), outline);
    }

    /** What of a method's calls rules can read. */
    private final class Paths {
        private final String owner;
        private final MethodOutline outline;
        private final Type[] types;

        Paths(String owner, MethodOutline outline) {
            this.owner = owner;
            this.outline = outline;
            this.types = Type.getArgumentTypes(outline.descriptor());
        }

        String written() {
            return owner.replace('/', '.') + "#" + outline.written();
        }

        /** A path, and the descriptor of what it leads to. */
        private record Read(String path, String type) {}

        /** Null if no path leads there. */
        private Read read(Value value) {
            if (value instanceof Parameter parameter) {
                int slot = outline.isStatic() ? 0 : 1;
                for (int i = 0; i < types.length; i++) {
                    if (slot == parameter.slot()) {
                        return new Read("arg" + i, types[i].getDescriptor());
                    }
                    slot += types[i].getSize();
                }
                return parameter.slot() == 0 ? new Read("this", "L" + owner + ";") : null;
            }
            if (value instanceof Field field && field.owner().equals(owner) && !outline.isStatic()) {
                return service.isStatic(field) ? null : new Read("this." + field.name(), field.descriptor());
            }
            if (value instanceof Call call
                    && call.operands().size() == 1
                    && call.descriptor().startsWith("()")
                    && service.owns(call.owner())) {
                Read of = read(call.operands().get(0));
                return of == null
                        ? null
                        : new Read(
                                of.path() + "." + call.name(),
                                Type.getReturnType(call.descriptor()).getDescriptor());
            }
            return null;
        }

        /** A name as a rule's resource; null if it is not made of texts and paths alone. */
        String template(Value name) {
            StringBuilder text = new StringBuilder();
            for (String part : NameTemplate.of(marked(name)).parts()) {
                if (part == null) {
                    return null;
                }
                text.append(part);
            }
            String escaped = text.toString().replace("{", "{{").replace("}", "}}");
            return escaped.replace(OPEN, '{').replace(CLOSE, '}');
        }

        /** With paths in the place of what they lead to. */
        private Value marked(Value value) {
            Read read = read(value);
            if (read != null) {
                return new Constant(OPEN + read.path() + CLOSE);
            }
            if (value instanceof Call call) {
                return Call.of(0, call.owner(), call.name(), call.descriptor(), marked(call.operands()));
            }
            if (value instanceof Operation operation) {
                return Operation.of(
                        operation.what(), 0, marked(operation.operands()).toArray(new Value[0]));
            }
            return value instanceof Value.Array array ? new Value.Array(0, marked(array.elements())) : value;
        }

        private List<Value> marked(List<Value> values) {
            return values.stream().map(this::marked).toList();
        }

        /** As rules write it; null if it cannot be said there, or there is none. */
        String lease(Taken taken) {
            LockMethod method = taken.method();
            List<Value> arguments = taken.arguments();
            int at = method.leaseArgument();
            Long constant = Times.of(arguments, at, method.lease());
            if (constant != null) {
                return constant > 0 ? Times.text(constant) : null;
            }
            if (at < 0 || at >= arguments.size()) {
                return null;
            }
            return switch (method.lease()) {
                case OPTION -> option(arguments.get(at));
                case DURATION -> duration(arguments.get(at));
                case UNIT -> at + 1 < arguments.size() ? amount(arguments.get(at), arguments.get(at + 1)) : null;
                case MILLIS -> number(arguments.get(at), "ms");
                case SECONDS -> number(arguments.get(at), "s");
                case NONE -> null;
            };
        }

        private String option(Value options) {
            for (Value next = options;
                    next instanceof Call call;
                    next = call.operands().isEmpty() ? null : call.operands().get(0)) {
                if (call.name().equals("px") || call.name().equals("ex")) {
                    Value last = call.operands().get(call.operands().size() - 1);
                    String duration = duration(last);
                    return duration != null
                            ? duration
                            : number(last, call.name().equals("px") ? "ms" : "s");
                }
            }
            return null;
        }

        private String duration(Value value) {
            Read read = read(value);
            if (read != null) {
                return read.type().equals(DURATION) ? read.path() : null;
            }
            return value instanceof Call call
                            && call.owner().equals("java/time/Duration")
                            && FACTORIES.containsKey(call.name())
                    ? number(call.operands().get(0), FACTORIES.get(call.name()))
                    : null;
        }

        private String amount(Value amount, Value unit) {
            if (unit instanceof Field field && field.owner().equals("java/util/concurrent/TimeUnit")) {
                return UNITS.containsKey(field.name()) ? number(amount, UNITS.get(field.name())) : null;
            }
            Read number = read(unconverted(amount));
            Read of = read(unit);
            return number != null
                            && NUMBERS.contains(number.type())
                            && of != null
                            && of.type().equals(UNIT)
                    ? number.path() + " " + of.path()
                    : null;
        }

        private String number(Value value, String unit) {
            Value plain = unconverted(value);
            if (plain instanceof Call call
                    && call.owner().equals("java/time/Duration")
                    && call.operands().size() == 1) {
                return unit.equals(SCALES.get(call.name()))
                        ? duration(call.operands().get(0))
                        : null;
            }
            if (plain instanceof Call call
                    && call.owner().equals("java/util/concurrent/TimeUnit")
                    && call.operands().size() == 2) {
                return unit.equals(SCALES.get(call.name()))
                        ? amount(call.operands().get(1), call.operands().get(0))
                        : null;
            }
            Read read = read(plain);
            return read != null && NUMBERS.contains(read.type()) ? read.path() + " " + unit : null;
        }

        private Value unconverted(Value value) {
            if (value instanceof Operation operation
                    && (operation.what().equals("op" + Opcodes.I2L)
                            || operation.what().equals("op" + Opcodes.L2I))) {
                return unconverted(operation.operands().get(0));
            }
            return value instanceof Call call
                            && call.operands().size() == 1
                            && CONVERSIONS.contains(call.name())
                            && call.owner().startsWith("java/lang/")
                    ? unconverted(call.operands().get(0))
                    : value;
        }
    }
}
