/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import static net.bytebuddy.jar.asm.Opcodes.*;

import io.lockfence.agent.cli.scan.Code.Handler;
import io.lockfence.agent.cli.scan.Code.Instruction;
import io.lockfence.agent.cli.scan.EffectTable.Boundary;
import io.lockfence.agent.cli.scan.EffectTable.Effect;
import io.lockfence.agent.cli.scan.EffectTable.Timeout;
import io.lockfence.agent.cli.scan.Event.Reach;
import io.lockfence.agent.cli.scan.LockTable.LockMethod;
import io.lockfence.agent.cli.scan.LockTable.Role;
import io.lockfence.agent.cli.scan.Value.Call;
import io.lockfence.agent.cli.scan.Value.Constant;
import io.lockfence.agent.cli.scan.Value.Lambda;
import io.lockfence.agent.cli.scan.Value.Operation;
import io.lockfence.agent.cli.scan.Value.Raw;
import io.lockfence.agent.cli.scan.Value.Unknown;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.jar.asm.ConstantDynamic;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.Type;

/**
 * Follows one method's code along all its ways: where its values come from, and which locks are held for sure at each instruction. A lock
 * counts as held where every way leads through its acquire and past none of its releases; the way on which an attempt failed does not.
 */
final class Simulation {
    /** What other methods of the service do. */
    interface Service {
        /** Whether the class, an internal name, is the service's own. */
        boolean owns(String owner);

        /** What is known of the only method that this call can reach; {@link Summary#NOTHING} if there are several. */
        Summary summary(String owner, String name, String descriptor);

        /** What the annotations of a method without a body say; null if nothing. */
        Declared declared(String owner, String name, String descriptor);
    }

    /**
     * @param events in the order of the code
     * @param fields what was assigned to fields, by {@link Value.Field}
     */
    record Outcome(List<Event> events, Summary summary, Map<Value.Field, List<Value>> fields) {}

    private static final int DEEPEST_REENTRY = 4;
    /** A boolean that was made of an attempt's success: its only operand is the place of that. */
    private static final String SUCCESS = "success";

    private static final Set<String> PAUSES = Set.of(
            "java/lang/Thread.sleep",
            "java/util/concurrent/TimeUnit.sleep",
            "java/util/concurrent/locks/LockSupport.parkNanos",
            "java/lang/Object.wait");
    private static final String LAMBDA = "java/lang/invoke/LambdaMetafactory";
    private static final String CONCAT = "java/lang/invoke/StringConcatFactory";

    /** @param levels places that took it: the outermost hold first, then each re-entry */
    private record Held(String library, Value identity, List<Set<Integer>> levels) {
        Set<Integer> places() {
            Set<Integer> places = Set.of();
            for (Set<Integer> level : levels) {
                places = union(places, level);
            }
            return places;
        }

        /** One hold less; null where none is left. */
        Held without(int level) {
            if (levels.size() == 1) {
                return null;
            }
            List<Set<Integer>> left = new ArrayList<>(levels);
            left.remove(level);
            return new Held(library, identity, List.copyOf(left));
        }

        Held innermostGivenBack() {
            return without(levels.size() - 1);
        }

        /** One hold more. */
        Held again(Set<Integer> places) {
            List<Set<Integer>> more = new ArrayList<>(levels);
            if (more.size() == DEEPEST_REENTRY) {
                more.set(more.size() - 1, union(more.get(more.size() - 1), places));
            } else {
                more.add(places);
            }
            return new Held(library, identity, List.copyOf(more));
        }

        /** What is held for sure where two ways meet. */
        Held meet(Held other) {
            List<Set<Integer>> both = new ArrayList<>();
            for (int i = 0; i < Math.min(levels.size(), other.levels.size()); i++) {
                both.add(union(levels.get(i), other.levels.get(i)));
            }
            return new Held(library, identity, List.copyOf(both));
        }
    }

    private enum Transaction {
        NONE,
        /** Autocommit is off; nothing was sent yet. */
        MANUAL,
        OPEN
    }

    /** The machine before an instruction. */
    private static final class State {
        final Value[] locals;
        final Value[] stack;
        int top;
        List<Held> held;
        Transaction transaction = Transaction.NONE;
        Set<Integer> released = Set.of();

        State(int locals, int stack) {
            this.locals = new Value[locals];
            this.stack = new Value[stack + 2];
            this.held = List.of();
        }

        State copy() {
            State copy = new State(locals.length, stack.length - 2);
            System.arraycopy(locals, 0, copy.locals, 0, locals.length);
            System.arraycopy(stack, 0, copy.stack, 0, top);
            copy.top = top;
            copy.held = held;
            copy.transaction = transaction;
            copy.released = released;
            return copy;
        }
    }

    /** What an attempt's result says: with {@code positive}, a true or non-null value means that the lock of the place is held. */
    private record Truth(int place, boolean positive) {}

    /** Thrown where code does not keep to the machine's rules: the method is left out. */
    static final class Unfollowable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unfollowable(String why) {
            super(why, null, false, false);
        }
    }

    private final Code code;
    private final Known known;
    private final Service service;
    private final State[] before;
    private final Set<Integer> used = new HashSet<>();
    private final Map<Integer, Value> names = new HashMap<>();
    private final Set<Integer> attempts = new HashSet<>();
    private final Map<Integer, Reach> reaches = new HashMap<>();
    private final Map<Integer, Integer> scopes = new HashMap<>();
    private final List<Event> events = new ArrayList<>();
    private final Map<Value.Field, List<Value>> fields = new HashMap<>();
    private final List<Value> returned = new ArrayList<>();
    private final List<List<Held>> atReturn = new ArrayList<>();
    private final List<Summary.Lock> releasedOfOthers = new ArrayList<>();
    private boolean telling;
    private int at;
    private State state;
    /** Of the conditional jump just done: whose failure each edge means; -1 for none. */
    private int failedOnJump;

    private int failedOnFall;

    private Simulation(Code code, Known known, Service service) {
        this.code = code;
        this.known = known;
        this.service = service;
        this.before = new State[code.instructions.size()];
    }

    /**
     * Follows a method.
     *
     * @throws Unfollowable if its code is not of a form that compilers make, or too large
     */
    static Outcome of(Code code, Known known, Service service) {
        try {
            return new Simulation(code, known, service).run();
        } catch (ArrayIndexOutOfBoundsException e) {
            throw new Unfollowable("stack of " + code.name);
        }
    }

    private Outcome run() {
        follow();
        telling = true;
        for (int i = 0; i < before.length; i++) {
            if (before[i] != null) {
                step(i, before[i].copy());
            }
        }
        return new Outcome(finished(), summary(), fields);
    }

    private void follow() {
        if (before.length == 0) {
            return;
        }
        State start = new State(code.maxLocals, code.maxStack);
        Arrays.fill(start.locals, new Unknown(-2));
        int slot = 0;
        if (!code.isStatic()) {
            start.locals[slot] = new Value.Parameter(slot);
            slot++;
        }
        for (Type type : Type.getArgumentTypes(code.descriptor)) {
            start.locals[slot] = new Value.Parameter(slot);
            slot += type.getSize();
        }
        Map<Integer, List<Integer>> handlersAt = handlers();
        ArrayDeque<Integer> open = new ArrayDeque<>();
        before[0] = start;
        open.add(0);
        long budget = 200L * before.length + 10_000;
        while (!open.isEmpty()) {
            if (--budget < 0) {
                throw new Unfollowable("too many ways through " + code.name);
            }
            int i = open.remove();
            for (int handler : handlersAt.getOrDefault(i, List.of())) {
                State thrown = before[i].copy();
                thrown.top = 0;
                thrown.stack[thrown.top++] = new Unknown(handler);
                reach(handler, thrown, open);
            }
            Instruction instruction = code.instructions.get(i);
            State after = before[i].copy();
            step(i, after);
            if (instruction.extra() instanceof Label[] labels) {
                for (Label label : labels) {
                    State jumped = after.copy();
                    drop(jumped, failedOnJump);
                    reach(place(label), jumped, open);
                }
            }
            if (!ends(instruction.opcode())) {
                if (i + 1 >= before.length) {
                    throw new Unfollowable("falls off the end of " + code.name);
                }
                drop(after, failedOnFall);
                reach(i + 1, after, open);
            }
        }
    }

    private Map<Integer, List<Integer>> handlers() {
        Map<Integer, List<Integer>> handlersAt = new HashMap<>();
        for (Handler handler : code.handlers) {
            int target = place(handler.handler());
            for (int i = place(handler.start()); i < place(handler.end()); i++) {
                handlersAt.computeIfAbsent(i, key -> new ArrayList<>(2)).add(target);
            }
        }
        return handlersAt;
    }

    private int place(Label label) {
        Integer place = code.places.get(label);
        if (place == null) {
            throw new Unfollowable("a label of " + code.name);
        }
        return place;
    }

    private static boolean ends(int opcode) {
        return opcode == GOTO || opcode == LOOKUPSWITCH || opcode == ATHROW || (opcode >= IRETURN && opcode <= RETURN);
    }

    private void reach(int target, State with, ArrayDeque<Integer> open) {
        State there = before[target];
        if (there == null) {
            before[target] = with;
            open.add(target);
        } else if (merge(target, there, with) && !open.contains(target)) {
            open.add(target);
        }
    }

    /** @return whether what is known there has changed: it can only become less */
    private boolean merge(int target, State there, State with) {
        boolean changed = false;
        if (there.top != with.top) {
            throw new Unfollowable("stack heights differ");
        }
        changed |= success(there, with);
        for (int i = 0; i < there.locals.length; i++) {
            changed |= merge(there.locals, i, with.locals[i], 1_000_000 + target * 1_000 + i);
        }
        for (int i = 0; i < there.top; i++) {
            changed |= merge(there.stack, i, with.stack[i], 1_000_000 + target * 1_000 + 500 + i);
        }
        List<Held> both = new ArrayList<>();
        for (Held held : there.held) {
            for (Held other : with.held) {
                if (sameLock(held, other)) {
                    both.add(held.meet(other));
                    break;
                }
            }
        }
        if (!both.equals(there.held)) {
            there.held = both;
            changed = true;
        }
        if (with.transaction.compareTo(there.transaction) < 0) {
            there.transaction = with.transaction;
            changed = true;
        }
        Set<Integer> released = union(there.released, with.released);
        if (!released.equals(there.released)) {
            there.released = released;
            changed = true;
        }
        return changed;
    }

    /**
     * {@code attempt() ? token : null} and {@code attempt() != null} as values: 0 or null where the attempt has failed, and something else where it has not. Both
     * become the attempt's success, with its lock held if that is true.
     */
    private boolean success(State there, State with) {
        if (there.top == 0) {
            return false;
        }
        int top = there.top - 1;
        Integer place = success(there, with, top);
        if (place == null) {
            place = success(with, there, top);
        }
        if (place == null) {
            return false;
        }
        int of = place;
        Value success = new Operation(SUCCESS, List.of(new Constant(of)), 1);
        boolean changed = !there.stack[top].equals(success);
        there.stack[top] = success;
        with.stack[top] = success;
        State holds = there.held.stream().anyMatch(held -> held.places().contains(of)) ? there : with;
        Held held = holds.held.stream()
                .filter(one -> one.places().contains(of))
                .findFirst()
                .orElseThrow();
        for (State state : List.of(there, with)) {
            if (state.held.stream().noneMatch(other -> sameLock(other, held))) {
                List<Held> more = new ArrayList<>(state.held);
                more.add(held);
                state.held = more;
                changed |= state == there;
            }
        }
        return changed;
    }

    /**
     * The place of an attempt that has succeeded on the one way, where the value tells so, and not on the other, where the value is 0 or null; the place, too,
     * where the value of the one way is that success already. Else null.
     */
    private Integer success(State yes, State no, int top) {
        Value value = yes.stack[top];
        Value other = no.stack[top];
        boolean failed = isNull(other) || Integer.valueOf(0).equals(constant(other));
        for (Held held : yes.held) {
            if (held.levels().size() == 1 && held.places().size() == 1) {
                int place = held.places().iterator().next();
                boolean heldByOther = no.held.stream().anyMatch(one -> sameLock(one, held));
                boolean told = isSuccess(value)
                        ? successOf(value) == place && (failed || heldByOther)
                        : attempts.contains(place) && failed && tells(value, other);
                if (told && heldByOther != failed) {
                    return place;
                }
            }
        }
        return null;
    }

    /** Whether a value cannot be taken for that of the failure. */
    private static boolean tells(Value value, Value failure) {
        return isNull(failure) ? !isNull(value) : Integer.valueOf(1).equals(constant(value));
    }

    private static Object constant(Value value) {
        return value instanceof Constant constant ? constant.value() : value;
    }

    private static boolean isNull(Value value) {
        return value instanceof Constant constant && constant.value() == null;
    }

    private static int successOf(Value success) {
        return Times.number(((Operation) success).operands().get(0)).intValue();
    }

    /** Places mean nothing in another method. */
    private static boolean speaksOfSuccess(Value value) {
        if (value instanceof Call call) {
            return call.operands().stream().anyMatch(Simulation::speaksOfSuccess);
        }
        return value instanceof Operation operation
                && (isSuccess(value) || operation.operands().stream().anyMatch(Simulation::speaksOfSuccess));
    }

    private static boolean isSuccess(Value value) {
        return value instanceof Operation operation && operation.what().equals(SUCCESS);
    }

    private boolean merge(Value[] values, int i, Value with, int place) {
        if (values[i] == with || values[i].equals(with)) {
            return false;
        }
        // Whoever looks at the one may look at the other: from here on one cannot tell.
        markUsed(values[i]);
        markUsed(with);
        Value merged = new Unknown(place);
        boolean changed = !values[i].equals(merged);
        values[i] = merged;
        return changed;
    }

    private static Set<Integer> union(Set<Integer> a, Set<Integer> b) {
        if (a.containsAll(b)) {
            return a;
        }
        Set<Integer> both = new TreeSet<>(a);
        both.addAll(b);
        return both;
    }

    private static boolean sameLock(Held a, Held b) {
        return Objects.equals(a.library(), b.library()) && Value.alike(a.identity(), b.identity());
    }

    /** The attempt of this place has failed on this way. */
    private static void drop(State state, int place) {
        if (place < 0) {
            return;
        }
        List<Held> left = new ArrayList<>();
        for (Held held : state.held) {
            int level = held.levels().size() - 1;
            while (level >= 0 && !held.levels().get(level).contains(place)) {
                level--;
            }
            Held still = level < 0 ? held : held.without(level);
            if (still != null) {
                left.add(still);
            }
        }
        state.held = left;
    }

    // ---- one instruction

    private void step(int i, State with) {
        at = i;
        state = with;
        failedOnJump = -1;
        failedOnFall = -1;
        Instruction in = code.instructions.get(i);
        int op = in.opcode();
        switch (op) {
            case NOP, IINC, GOTO, RET -> {
                if (op == IINC) {
                    state.locals[in.number()] = new Unknown(i);
                } else if (op == RET) {
                    throw new Unfollowable("subroutines");
                }
            }
            case JSR -> throw new Unfollowable("subroutines");
            case ACONST_NULL -> push(new Constant(null));
            case ICONST_M1, ICONST_0, ICONST_1, ICONST_2, ICONST_3, ICONST_4, ICONST_5 ->
                push(new Constant(op - ICONST_0));
            case LCONST_0, LCONST_1 -> pushWide(new Constant((long) (op - LCONST_0)));
            case FCONST_0, FCONST_1, FCONST_2 -> push(new Constant((float) (op - FCONST_0)));
            case DCONST_0, DCONST_1 -> pushWide(new Constant((double) (op - DCONST_0)));
            case BIPUSH, SIPUSH -> push(new Constant(in.number()));
            case LDC -> {
                if (in.extra() instanceof Long || in.extra() instanceof Double) {
                    pushWide(new Constant(in.extra()));
                } else if (in.extra() instanceof ConstantDynamic dynamic) {
                    push(new Unknown(i), dynamic.getSize());
                } else {
                    push(new Constant(in.extra()));
                }
            }
            case ILOAD, FLOAD, ALOAD -> push(state.locals[in.number()]);
            case LLOAD, DLOAD -> pushWide(state.locals[in.number()]);
            case ISTORE, FSTORE, ASTORE -> state.locals[in.number()] = state.stack[--state.top];
            case LSTORE, DSTORE -> {
                state.top -= 2;
                state.locals[in.number()] = state.stack[state.top];
                state.locals[in.number() + 1] = Value.SECOND;
            }
            case IALOAD, FALOAD, AALOAD, BALOAD, CALOAD, SALOAD -> operation("element", 2, 1);
            case LALOAD, DALOAD -> operation("element", 2, 2);
            case AASTORE -> {
                Value element = use();
                Long index = Times.number(use());
                Value array = use();
                if (array instanceof Value.Array filled) {
                    replace(
                            array,
                            index != null && index == filled.elements().size() ? filled.with(element) : new Unknown(i));
                }
            }
            case IASTORE, FASTORE, BASTORE, CASTORE, SASTORE -> use(3);
            case LASTORE, DASTORE -> use(4);
            case POP -> state.top--;
            case POP2 -> state.top -= 2;
            case DUP, DUP_X1, DUP_X2, DUP2, DUP2_X1, DUP2_X2, SWAP -> rearrange(op);
            case IADD, ISUB, IMUL, IDIV, IREM, ISHL, ISHR, IUSHR, IAND, IOR, IXOR, FADD, FSUB, FMUL, FDIV, FREM ->
                operation("op" + op, 2, 1);
            case LADD, LSUB, LMUL, LDIV, LREM, LAND, LOR, LXOR, DADD, DSUB, DMUL, DDIV, DREM ->
                operation("op" + op, 4, 2);
            case LSHL, LSHR, LUSHR -> operation("op" + op, 3, 2);
            case INEG, FNEG -> operation("op" + op, 1, 1);
            case LNEG, DNEG -> operation("op" + op, 2, 2);
            case I2F, F2I, I2B, I2C, I2S -> operation("op" + op, 1, 1);
            case I2L, I2D, F2L, F2D -> {
                Value value = use();
                pushWide(
                        value instanceof Constant constant && constant.value() instanceof Integer number && op == I2L
                                ? new Constant(number.longValue())
                                : Operation.of("op" + op, i, value));
            }
            case L2D, D2L -> operation("op" + op, 2, 2);
            case L2I, L2F, D2I, D2F -> operation("op" + op, 2, 1);
            case LCMP -> operation("compare", 4, 1);
            case FCMPL, FCMPG -> operation("op" + op, 2, 1);
            case DCMPL, DCMPG -> operation("op" + op, 4, 1);
            case IFEQ, IFNE, IFLT, IFGE, IFGT, IFLE, IFNULL, IFNONNULL -> branch(op, truth(use()));
            case IF_ICMPEQ, IF_ICMPNE -> {
                Value right = use();
                Value left = use();
                Truth truth = truth(Operation.of("compare", i, left, right));
                branch(op == IF_ICMPEQ ? IFEQ : IFNE, truth);
            }
            case IF_ICMPLT, IF_ICMPGE, IF_ICMPGT, IF_ICMPLE, IF_ACMPEQ, IF_ACMPNE -> use(2);
            case LOOKUPSWITCH, TABLESWITCH -> use(1);
            case IRETURN, FRETURN, ARETURN -> ret(use());
            case LRETURN, DRETURN -> {
                state.top--;
                ret(use());
            }
            case RETURN -> ret(null);
            case GETSTATIC, GETFIELD -> {
                if (op == GETFIELD) {
                    use(1);
                }
                push(
                        new Value.Field(in.owner(), in.name(), in.descriptor()),
                        Type.getType(in.descriptor()).getSize());
            }
            case PUTSTATIC, PUTFIELD -> {
                if (Type.getType(in.descriptor()).getSize() == 2) {
                    state.top--;
                }
                Value value = use();
                if (op == PUTFIELD) {
                    use(1);
                }
                if (telling) {
                    fields.computeIfAbsent(
                                    new Value.Field(in.owner(), in.name(), in.descriptor()), key -> new ArrayList<>(1))
                            .add(value);
                }
            }
            case INVOKEVIRTUAL, INVOKESPECIAL, INVOKESTATIC, INVOKEINTERFACE -> invoke(in);
            case INVOKEDYNAMIC -> invokeDynamic(in);
            case NEW -> push(new Raw(i, in.owner()));
            case ANEWARRAY -> {
                use(1);
                push(new Value.Array(i, List.of()));
            }
            case NEWARRAY, ARRAYLENGTH, INSTANCEOF -> {
                use(1);
                push(new Unknown(i));
            }
            case ATHROW, MONITORENTER, MONITOREXIT -> use(1);
            case CHECKCAST -> {
                // The same object under another type.
            }
            case MULTIANEWARRAY -> {
                use(in.number());
                push(new Unknown(i));
            }
            default -> throw new Unfollowable("opcode " + op);
        }
    }

    private void push(Value value) {
        state.stack[state.top++] = value;
    }

    private void pushWide(Value value) {
        push(value);
        push(Value.SECOND);
    }

    private void push(Value value, int size) {
        if (size > 0) {
            push(value);
        }
        if (size > 1) {
            push(Value.SECOND);
        }
    }

    private Value use() {
        Value value = state.stack[--state.top];
        markUsed(value);
        return value;
    }

    private void markUsed(Value value) {
        if (value instanceof Call call) {
            used.add(call.place());
        }
    }

    private void use(int slots) {
        for (int i = 0; i < slots; i++) {
            use();
        }
    }

    private void operation(String what, int slots, int size) {
        List<Value> operands = new ArrayList<>();
        for (int i = 0; i < slots; i++) {
            Value value = use();
            if (value != Value.SECOND) {
                operands.add(0, value);
            }
        }
        push(Operation.of(what, at, operands.toArray(new Value[0])), size);
    }

    private void rearrange(int op) {
        Value[] s = state.stack;
        int t = state.top;
        switch (op) {
            case DUP -> s[t] = s[t - 1];
            case DUP_X1 -> {
                s[t] = s[t - 1];
                s[t - 1] = s[t - 2];
                s[t - 2] = s[t];
            }
            case DUP_X2 -> {
                s[t] = s[t - 1];
                s[t - 1] = s[t - 2];
                s[t - 2] = s[t - 3];
                s[t - 3] = s[t];
            }
            case DUP2 -> {
                s[t] = s[t - 2];
                s[t + 1] = s[t - 1];
            }
            case DUP2_X1 -> {
                s[t + 1] = s[t - 1];
                s[t] = s[t - 2];
                s[t - 1] = s[t - 3];
                s[t - 2] = s[t + 1];
                s[t - 3] = s[t];
            }
            case DUP2_X2 -> {
                s[t + 1] = s[t - 1];
                s[t] = s[t - 2];
                s[t - 1] = s[t - 3];
                s[t - 2] = s[t - 4];
                s[t - 3] = s[t + 1];
                s[t - 4] = s[t];
            }
            default -> {
                Value top = s[t - 1];
                s[t - 1] = s[t - 2];
                s[t - 2] = top;
            }
        }
        state.top += op == SWAP ? 0 : op == DUP || op == DUP_X1 || op == DUP_X2 ? 1 : 2;
    }

    // ---- results of attempts

    private Truth truth(Value value) {
        if (isSuccess(value)) {
            return new Truth(successOf(value), true);
        }
        if (value instanceof Operation compare
                && compare.what().equals("compare")
                && compare.operands().size() == 2) {
            Truth of = truth(compare.operands().get(0));
            Long with = Times.number(compare.operands().get(1));
            return of == null || with == null ? null : new Truth(of.place(), (with == 0) == of.positive());
        }
        if (!(value instanceof Call call)) {
            return null;
        }
        if (attempts.contains(call.place())) {
            return new Truth(call.place(), true);
        }
        if (call.operands().isEmpty()) {
            return null;
        }
        return switch (call.name()) {
            case "isPresent",
                    "booleanValue",
                    "longValue",
                    "intValue",
                    "get",
                    "join",
                    "block",
                    "orElse",
                    "getNow",
                    "getValue" -> truth(call.operands().get(0));
            case "isEmpty" -> {
                Truth truth = truth(call.operands().get(0));
                yield truth == null ? null : new Truth(truth.place(), !truth.positive());
            }
            case "equals", "equalsIgnoreCase", "isTrue" -> {
                for (Value operand : call.operands()) {
                    Truth truth = truth(operand);
                    if (truth != null) {
                        yield truth;
                    }
                }
                yield null;
            }
            default -> null;
        };
    }

    private void branch(int op, Truth truth) {
        if (truth == null) {
            return;
        }
        boolean jumpsOnFalse = op == IFEQ || op == IFLE || op == IFLT || op == IFNULL;
        if (jumpsOnFalse == truth.positive()) {
            failedOnJump = truth.place();
        } else {
            failedOnFall = truth.place();
        }
    }

    private void ret(Value value) {
        if (telling) {
            returned.add(value);
            atReturn.add(state.held);
        }
    }

    // ---- calls

    private List<Value> operands(String descriptor, boolean receiver) {
        List<Value> operands = new ArrayList<>();
        Type[] types = Type.getArgumentTypes(descriptor);
        for (int i = types.length - 1; i >= 0; i--) {
            if (types[i].getSize() == 2) {
                state.top--;
            }
            operands.add(0, use());
        }
        if (receiver) {
            operands.add(0, use());
        }
        return operands;
    }

    private void invoke(Instruction in) {
        boolean isStatic = in.opcode() == INVOKESTATIC;
        List<Value> operands = operands(in.descriptor(), !isStatic);
        Type result = Type.getReturnType(in.descriptor());
        if (in.name().equals("<init>")) {
            construct(in, operands);
            return;
        }
        Value value = Call.of(at, in.owner(), in.name(), in.descriptor(), operands);
        if (result.getSize() > 0) {
            if (!isStatic && isBuilder(in, result)) {
                replace(operands.get(0), value);
            }
            Summary own = service.owns(in.owner())
                    ? service.summary(in.owner(), in.name(), in.descriptor())
                    : Summary.NOTHING;
            boolean tellsIfHeld = own.taken().stream().anyMatch(Summary.Lock::onResult);
            if (own.returned() != null && !tellsIfHeld) {
                value = Value.withArguments(own.returned(), slots(in, operands), at);
            }
            push(value, result.getSize());
        }
        meaning(in, operands);
    }

    private static boolean isBuilder(Instruction in, Type result) {
        String owner = in.owner();
        return result.getSort() == Type.OBJECT
                && (owner.endsWith("Builder")
                        || owner.endsWith("SetParams")
                        || owner.endsWith("SetArgs")
                        || owner.equals("java/lang/StringBuffer"))
                && (result.getInternalName().equals(owner) || owner.startsWith("java/lang/StringBu"))
                && !in.name().equals("toString");
    }

    private void construct(Instruction in, List<Value> operands) {
        Value receiver = operands.get(0);
        List<Value> arguments = operands.subList(1, operands.size());
        if (receiver instanceof Raw raw) {
            replace(raw, Call.of(raw.place(), in.owner(), "<init>", in.descriptor(), arguments));
        }
        handOver(in, arguments);
        if (service.owns(in.owner()) && telling) {
            called(in.owner(), in.name(), in.descriptor(), Reach.CALL, false, -1);
        }
    }

    private void replace(Value old, Value with) {
        for (int i = 0; i < state.top; i++) {
            if (state.stack[i].equals(old)) {
                state.stack[i] = with;
            }
        }
        for (int i = 0; i < state.locals.length; i++) {
            if (state.locals[i] != null && state.locals[i].equals(old)) {
                state.locals[i] = with;
            }
        }
    }

    /** Operands by the callee's slots. */
    private static List<Value> slots(Instruction in, List<Value> operands) {
        List<Value> slots = new ArrayList<>();
        int next = 0;
        if (in.opcode() != INVOKESTATIC) {
            slots.add(operands.get(next++));
        }
        for (Type type : Type.getArgumentTypes(in.descriptor())) {
            slots.add(operands.get(next++));
            if (type.getSize() == 2) {
                slots.add(Value.SECOND);
            }
        }
        return slots;
    }

    private void invokeDynamic(Instruction in) {
        List<Value> operands = operands(in.descriptor(), false);
        Object[] arguments = (Object[]) in.extra();
        int size = Type.getReturnType(in.descriptor()).getSize();
        if (in.owner().equals(LAMBDA) && arguments.length > 1 && arguments[1] instanceof Handle handle) {
            push(new Lambda(at, handle.getOwner(), handle.getName(), handle.getDesc(), operands));
            if (telling && service.owns(handle.getOwner())) {
                called(
                        handle.getOwner(),
                        handle.getName(),
                        handle.getDesc(),
                        Reach.CALL,
                        handle.getOwner().equals(code.owner),
                        at);
            }
        } else if (in.owner().equals(CONCAT)) {
            push(concat(operands, arguments));
        } else {
            push(new Unknown(at), size);
        }
    }

    private Value concat(List<Value> operands, Object[] arguments) {
        if (arguments.length == 0 || !(arguments[0] instanceof String recipe)) {
            return Operation.of("concat", at, operands.toArray(new Value[0]));
        }
        List<Value> parts = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        int argument = 0;
        int constant = 1;
        for (int i = 0; i < recipe.length(); i++) {
            char c = recipe.charAt(i);
            if (c == '\1' || c == '\2') {
                parts.add(new Constant(literal.toString()));
                literal.setLength(0);
                parts.add(c == '\1' ? operands.get(argument++) : new Constant(arguments[constant++]));
            } else {
                literal.append(c);
            }
        }
        parts.add(new Constant(literal.toString()));
        return Operation.of("concat", at, parts.toArray(new Value[0]));
    }

    /** What a call means for locks, transactions and the world outside. */
    private void meaning(Instruction in, List<Value> operands) {
        boolean isStatic = in.opcode() == INVOKESTATIC;
        List<Value> arguments = isStatic ? operands : operands.subList(1, operands.size());
        Value receiver = isStatic ? new Constant(in.owner()) : operands.get(0);
        LockMethod lock = known.lock(in.owner(), in.name(), in.descriptor());
        Known.JdkCall jdk = lock == null && !isStatic ? known.jdkLock(in.owner(), in.name()) : null;
        if (!isStatic && !code.isStatic() && receiver.equals(new Value.Parameter(0))) {
            // A lock's own method that passes on to another one: whoever called it takes the lock.
            boolean passesOn =
                    lock != null && (lock.nameArgument() < 0 || lock.owner().equals(code.owner.replace('/', '.')));
            lock = passesOn ? null : lock;
            jdk = null;
        }
        int scoped = -1;
        if (lock != null) {
            Value identity = lock.nameArgument() >= 0 && lock.nameArgument() < arguments.size()
                    ? name(arguments, lock.nameArgument())
                    : receiver;
            switch (lock.role()) {
                case ACQUIRE, TRY ->
                    take(
                            in,
                            lock.library().name(),
                            lock,
                            identity,
                            identity,
                            arguments,
                            lock.role() == Role.TRY,
                            false);
                case RELEASE -> giveBack(in, lock, identity, arguments);
                case SCOPED -> {
                    scoped = at;
                    if (telling) {
                        events.add(taken(in, lock.library().name(), lock, identity, identity, arguments, false, false));
                    }
                }
                case FACTORY, RENEW -> {
                    // Nothing else is held than before.
                }
            }
        } else if (jdk != null) {
            switch (jdk) {
                case ACQUIRE -> take(in, null, null, receiver, receiver, arguments, false, false);
                case TRY -> take(in, null, null, receiver, receiver, arguments, true, false);
                case RELEASE -> release(in, null, receiver, true, false);
            }
        }
        transaction(in, arguments);
        if (telling && PAUSES.contains(in.owner() + "." + in.name())) {
            events.add(new Event.Paused(line()));
        }
        effect(in, operands);
        waits(in, receiver, arguments);
        handOver(in, arguments);
        scope(arguments, scoped);
        if (service.owns(in.owner())) {
            own(in, operands, lock != null);
        }
    }

    /** A call that deletes a key or runs a script is a release if this method has taken the lock, or if it is a lock for sure. */
    private void giveBack(Instruction in, LockMethod lock, Value identity, List<Value> arguments) {
        boolean script = in.name().startsWith("eval") || in.name().equals("execute");
        String library = lock.library().name();
        boolean prolongs = script
                && !arguments.isEmpty()
                && arguments.get(0) instanceof Constant constant
                && constant.value() instanceof String text
                && scriptRole(text) != Role.RELEASE;
        boolean taken = state.held.stream()
                .anyMatch(held -> library.equals(held.library()) && Value.alike(held.identity(), identity));
        if (telling && !taken && !lock.library().confirmed()) {
            events.add(new Event.Touched(line(), call(in), library, identity, arguments, script));
        }
        if (!prolongs) {
            release(in, library, identity, lock.library().confirmed(), false);
        }
    }

    /** What a script of Redis does with a lock's key. */
    static Role scriptRole(String script) {
        String text = script.toLowerCase(Locale.ROOT);
        boolean deletes = text.contains("'del'") || text.contains("\"del\"") || text.contains("unlink");
        return deletes || !text.contains("expire") ? Role.RELEASE : Role.RENEW;
    }

    /** The first key where a call takes several, as an array or a list, with or without their number before them. */
    private static Value name(List<Value> arguments, int at) {
        Value name = arguments.get(at);
        if (Times.number(name) != null && at + 1 < arguments.size()) {
            return name(arguments, at + 1);
        }
        if (name instanceof Value.Array array && !array.elements().isEmpty()) {
            return array.elements().get(0);
        }
        if (name instanceof Call call
                && call.operands().size() == 1
                && List.of("of", "asList", "singletonList", "singleton").contains(call.name())) {
            return name(call.operands(), 0);
        }
        return name;
    }

    private void take(
            Instruction in,
            String library,
            LockMethod method,
            Value identity,
            Value name,
            List<Value> arguments,
            boolean attempt,
            boolean wrapper) {
        if (attempt) {
            attempts.add(at);
        }
        if (telling) {
            events.add(taken(in, library, method, identity, name, arguments, attempt, wrapper));
        }
        Held fresh = new Held(library, identity, List.of(Set.of(at)));
        names.put(at, name);
        List<Held> held = new ArrayList<>();
        for (Held other : state.held) {
            if (sameLock(other, fresh)) {
                fresh = other.again(Set.of(at));
            } else {
                held.add(other);
            }
        }
        held.add(fresh);
        state.held = held;
    }

    private Event.Taken taken(
            Instruction in,
            String library,
            LockMethod method,
            Value identity,
            Value name,
            List<Value> arguments,
            boolean attempt,
            boolean wrapper) {
        return new Event.Taken(
                at,
                line(),
                call(in),
                library,
                method,
                identity,
                name,
                arguments,
                attempt,
                false,
                state.transaction == Transaction.OPEN,
                wrapper);
    }

    /** @param certain whether the call is a release even of a lock that this method has not taken */
    private void release(Instruction in, String library, Value identity, boolean certain, boolean wrapper) {
        Held of = null;
        for (Held held : state.held) {
            if (Objects.equals(held.library(), library) && Value.alike(held.identity(), identity)) {
                of = held;
            }
        }
        if (of == null && certain) {
            // Reached another way: a lock object that was made again, a key that was kept. Only one can be meant.
            List<Held> candidates = state.held.stream()
                    .filter(held ->
                            Objects.equals(held.library(), library) || library == null || held.library() == null)
                    .filter(held -> held.identity() instanceof Unknown
                            || identity instanceof Unknown
                            || isSimpleLock(held, identity))
                    .toList();
            of = candidates.isEmpty() ? null : candidates.get(candidates.size() - 1);
        }
        if (of == null && !certain) {
            return;
        }
        if (telling) {
            Set<Integer> places =
                    of == null ? Set.of() : of.levels().get(of.levels().size() - 1);
            events.add(new Event.Released(at, line(), call(in), library, identity, places, wrapper));
            if (of == null) {
                releasedOfOthers.add(new Summary.Lock(library, identity, identity, false));
            }
        }
        if (state.transaction == Transaction.OPEN) {
            state.released = union(state.released, Set.of(at));
        }
        if (of != null) {
            List<Held> held = new ArrayList<>(state.held);
            held.remove(of);
            if (of.innermostGivenBack() != null) {
                held.add(of.innermostGivenBack());
            }
            state.held = held;
        }
    }

    /** ShedLock gives its lock back through what the acquire returned. */
    private boolean isSimpleLock(Held held, Value identity) {
        return Value.hasCall(identity, call -> held.places().contains(call.place()));
    }

    private void transaction(Instruction in, List<Value> arguments) {
        if (known.isSetAutoCommit(in.owner(), in.name())) {
            Long on = arguments.isEmpty() ? null : Times.number(arguments.get(0));
            if (on != null && on == 0) {
                if (state.transaction == Transaction.NONE) {
                    state.transaction = Transaction.MANUAL;
                }
            } else {
                committed(in, Transaction.NONE);
            }
            return;
        }
        Boundary boundary = known.boundary(in.owner(), in.name());
        if (boundary != null && !in.descriptor().startsWith("(Ljava/sql/Savepoint;")) {
            boolean goesOn = boundary.owner().equals("java.sql.Connection")
                    && !boundary.name().equals("close")
                    && state.transaction != Transaction.NONE;
            Transaction after = goesOn ? Transaction.MANUAL : Transaction.NONE;
            switch (boundary.bound()) {
                case BEGIN -> state.transaction = Transaction.OPEN;
                case COMMIT -> committed(in, after);
                case END, MANUAL -> {
                    state.transaction = after;
                    state.released = Set.of();
                }
            }
        } else if (state.transaction == Transaction.MANUAL
                && (in.descriptor().contains("Ljava/sql/Connection;") && service.owns(in.owner()))) {
            state.transaction = Transaction.OPEN;
        }
    }

    private void committed(Instruction in, Transaction after) {
        if (telling && !state.released.isEmpty()) {
            events.add(new Event.Committed(line(), call(in), state.released));
        }
        state.transaction = after;
        state.released = Set.of();
    }

    private void effect(Instruction in, List<Value> operands) {
        Declared declared = service.declared(in.owner(), in.name(), in.descriptor());
        Effect effect = declared == null ? known.effect(in.owner(), in.name()) : declared.effect();
        if (effect == null) {
            return;
        }
        if (effect.kind() == Kind.DATABASE && state.transaction == Transaction.MANUAL) {
            state.transaction = Transaction.OPEN;
        }
        if (telling) {
            Accesses.Told told = declared == null
                    ? Accesses.of(effect, in.name(), operands)
                    : new Accesses.Told(declared.access(), declared.detail());
            events.add(new Event.Effected(line(), call(in), effect, told.access(), told.detail(), heldPlaces()));
        }
    }

    private void waits(Instruction in, Value receiver, List<Value> arguments) {
        Timeout timeout = telling ? known.timeout(in.owner(), in.name(), in.descriptor()) : null;
        if (timeout != null) {
            List<Value> where = new ArrayList<>(arguments);
            if (timeout.owner().equals("java.util.concurrent.TimeUnit")) {
                where.add(receiver);
            }
            Long millis = Times.of(where, timeout.argument(), timeout.time());
            if (millis != null) {
                events.add(new Event.Waited(line(), call(in), millis, timeout.title(), heldPlaces()));
            }
        }
    }

    /** A lambda that goes to another thread, or into a transaction of its own. */
    private void handOver(Instruction in, List<Value> arguments) {
        for (Value argument : arguments) {
            if (argument instanceof Lambda lambda) {
                if (known.isExecutor(in.owner())) {
                    reaches.put(lambda.place(), Reach.TASK);
                } else if (known.isTransactionTemplate(in.owner(), in.name())) {
                    reaches.put(lambda.place(), Reach.TRANSACTION);
                }
            }
        }
    }

    private void scope(List<Value> arguments, int scoped) {
        if (scoped >= 0) {
            for (Value argument : arguments) {
                if (argument instanceof Lambda lambda) {
                    scopes.put(lambda.place(), scoped);
                }
            }
        }
    }

    /** @param told whether a table has said already what the call does to locks */
    private void own(Instruction in, List<Value> operands, boolean told) {
        Summary summary = service.summary(in.owner(), in.name(), in.descriptor());
        List<Value> slots = slots(in, operands);
        if (telling) {
            boolean self = in.opcode() != INVOKESTATIC
                    && !code.isStatic()
                    && operands.get(0).equals(new Value.Parameter(0));
            called(in.owner(), in.name(), in.descriptor(), Reach.CALL, self, -1);
        }
        if (told) {
            return;
        }
        for (Summary.Lock lock : summary.released()) {
            release(in, lock.library(), Value.withArguments(lock.identity(), slots, at), true, true);
        }
        for (Summary.Lock lock : summary.taken()) {
            take(
                    in,
                    lock.library(),
                    null,
                    Value.withArguments(lock.identity(), slots, at),
                    Value.withArguments(lock.name(), slots, at),
                    List.of(),
                    lock.onResult(),
                    true);
        }
    }

    private void called(String owner, String name, String descriptor, Reach reach, boolean self, int lambda) {
        // Which way a lambda goes is known at the call that it is passed to, later: filled in by finished().
        events.add(new Event.Called(line(), owner, name, descriptor, reach, self, heldPlaces(), lambda));
    }

    private Set<Integer> heldPlaces() {
        Set<Integer> places = Set.of();
        for (Held held : state.held) {
            places = union(places, held.places());
        }
        return places;
    }

    private int line() {
        return code.lines.get(at);
    }

    private static String call(Instruction in) {
        String owner = in.owner()
                .substring(Math.max(in.owner().lastIndexOf('/'), in.owner().lastIndexOf('$')) + 1);
        return owner + "." + in.name();
    }

    // ---- the end

    private List<Event> finished() {
        List<Event> all = new ArrayList<>();
        for (Event event : events) {
            if (event instanceof Event.Called called) {
                int lambda = called.within();
                all.add(new Event.Called(
                        called.line(),
                        called.owner(),
                        called.name(),
                        called.descriptor(),
                        reaches.getOrDefault(lambda, called.reach()),
                        called.self(),
                        called.held(),
                        scopes.getOrDefault(lambda, -1)));
            } else if (event instanceof Event.Taken taken && taken.attempt() && !used.contains(taken.place())) {
                all.add(new Event.Taken(
                        taken.place(),
                        taken.line(),
                        taken.call(),
                        taken.library(),
                        taken.method(),
                        taken.identity(),
                        taken.name(),
                        taken.arguments(),
                        true,
                        true,
                        taken.inTransaction(),
                        taken.wrapper()));
            } else {
                all.add(event);
            }
        }
        return all;
    }

    /** Whether the method returns null wherever it does not hold the lock. */
    private boolean nullWithout(Held held) {
        for (int i = 0; i < returned.size(); i++) {
            if (!isNull(returned.get(i)) && atReturn.get(i).stream().noneMatch(other -> sameLock(other, held))) {
                return false;
            }
        }
        return code.descriptor.charAt(code.descriptor.indexOf(')') + 1) == 'L';
    }

    private Summary summary() {
        Value same = returned.isEmpty() ? null : returned.get(0);
        for (Value value : returned) {
            if (same == null || value == null || !Value.alike(same, value)) {
                same = null;
                break;
            }
        }
        List<Summary.Lock> taken = new ArrayList<>();
        List<Held> atEnd = new ArrayList<>();
        for (int i = 0; i < atReturn.size(); i++) {
            for (Held held : atReturn.get(i)) {
                if (atEnd.stream().noneMatch(other -> sameLock(other, held))) {
                    atEnd.add(held);
                }
            }
        }
        for (Held held : atEnd) {
            boolean always = atReturn.stream().allMatch(end -> end.stream().anyMatch(other -> sameLock(other, held)));
            boolean onResult = held.places().stream().anyMatch(attempts::contains)
                    && (code.descriptor.endsWith(")Z")
                            || code.descriptor.endsWith(")Ljava/lang/Boolean;")
                            || returned.stream().anyMatch(Simulation::isSuccess)
                            || (!always && nullWithout(held)));
            if (always || onResult) {
                Value name = names.get(held.places().iterator().next());
                taken.add(new Summary.Lock(held.library(), held.identity(), name, onResult));
            }
        }
        return new Summary(
                same instanceof Unknown || speaksOfSuccess(same) ? null : same,
                List.copyOf(taken),
                releasedOfOthers.stream().distinct().toList());
    }
}
