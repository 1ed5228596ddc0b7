/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What is known of a value in a method's code, without running it. Two equal values are the same at run time, as far as one can tell. Of
 * bounded size: what grows beyond is unknown.
 */
sealed interface Value {
    /** The other half of a long or double, in its slot. */
    Value SECOND = new Unknown(-1);

    int LARGEST = 60;

    /** Something, where this place of the code makes it. */
    record Unknown(int place) implements Value {}

    /** A constant; a class is its ASM type. */
    record Constant(Object value) implements Value {}

    /** The receiver, 0, or a parameter, by its slot. */
    record Parameter(int slot) implements Value {}

    /** A field of the receiver or a static one; of any other object too: one cannot tell them apart. */
    record Field(String owner, String name, String descriptor) implements Value {}

    /**
     * What a call returned, or the object that a constructor made ({@code <init>}, the receiver left out).
     *
     * @param place of the call
     * @param operands the receiver, if there is one, and the arguments
     */
    record Call(int place, String owner, String name, String descriptor, List<Value> operands, int size)
            implements Value {
        /** The call's result, or unknown if that would be too large. */
        static Value of(int place, String owner, String name, String descriptor, List<Value> operands) {
            int size = 1;
            for (Value operand : operands) {
                size += sizeOf(operand);
            }
            return size > LARGEST
                    ? new Unknown(place)
                    : new Call(place, owner, name, descriptor, List.copyOf(operands), size);
        }

        boolean isConstructor() {
            return name.equals("<init>");
        }
    }

    /** An object whose constructor has not run yet. */
    record Raw(int place, String type) implements Value {}

    /** A lambda or method reference. */
    record Lambda(int place, String owner, String name, String descriptor, List<Value> captured) implements Value {}

    /** Arithmetic, an element of an array, a concatenation ({@code concat}, with constants as parts) and the like. */
    record Operation(String what, List<Value> operands, int size) implements Value {
        static Value of(String what, int place, Value... operands) {
            int size = 1;
            for (Value operand : operands) {
                size += sizeOf(operand);
            }
            return size > LARGEST ? new Unknown(place) : new Operation(what, List.of(operands), size);
        }
    }

    /** A small array that is filled where it is made, such as the last arguments of a call. */
    record Array(int place, List<Value> elements) implements Value {
        private static final int LONGEST = 8;

        /** The array with one more element; unknown if it gets too long. */
        Value with(Value element) {
            if (elements.size() == LONGEST || sizeOf(this) + sizeOf(element) > LARGEST) {
                return new Unknown(place);
            }
            List<Value> all = new ArrayList<>(elements);
            all.add(element);
            return new Array(place, List.copyOf(all));
        }
    }

    private static int sizeOf(Value value) {
        if (value instanceof Array array) {
            return 1 + array.elements().stream().mapToInt(Value::sizeOf).sum();
        }
        if (value instanceof Call call) {
            return call.size();
        }
        if (value instanceof Operation operation) {
            return operation.size();
        }
        return value instanceof Lambda lambda ? 1 + lambda.captured().size() : 1;
    }

    /** Whether two values are made alike: equal but for the places of their calls. */
    static boolean alike(Value a, Value b) {
        if (a == b || a.equals(b)) {
            return true;
        }
        if (a instanceof Call x && b instanceof Call y) {
            return x.owner().equals(y.owner())
                    && x.name().equals(y.name())
                    && x.descriptor().equals(y.descriptor())
                    && alike(x.operands(), y.operands());
        }
        if (a instanceof Array x && b instanceof Array y) {
            return alike(x.elements(), y.elements());
        }
        return a instanceof Operation x
                && b instanceof Operation y
                && x.what().equals(y.what())
                && alike(x.operands(), y.operands());
    }

    private static boolean alike(List<Value> a, List<Value> b) {
        if (a.size() != b.size()) {
            return false;
        }
        for (int i = 0; i < a.size(); i++) {
            if (!alike(a.get(i), b.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether a call that the condition holds for went into the value. */
    static boolean hasCall(Value value, Predicate<Call> condition) {
        if (value instanceof Call call) {
            return condition.test(call) || call.operands().stream().anyMatch(operand -> hasCall(operand, condition));
        }
        if (value instanceof Operation operation) {
            return operation.operands().stream().anyMatch(operand -> hasCall(operand, condition));
        }
        return false;
    }

    /** The value with a caller's arguments in the place of parameters; parameters that the caller does not know are unknown. */
    static Value withArguments(Value value, List<Value> bySlot, int place) {
        if (value instanceof Parameter parameter) {
            Value argument = parameter.slot() < bySlot.size() ? bySlot.get(parameter.slot()) : null;
            return argument == null ? new Unknown(place) : argument;
        }
        if (value instanceof Call call) {
            return Call.of(
                    place,
                    call.owner(),
                    call.name(),
                    call.descriptor(),
                    call.operands().stream()
                            .map(operand -> withArguments(operand, bySlot, place))
                            .toList());
        }
        if (value instanceof Operation operation) {
            return Operation.of(
                    operation.what(),
                    place,
                    operation.operands().stream()
                            .map(operand -> withArguments(operand, bySlot, place))
                            .toArray(Value[]::new));
        }
        if (value instanceof Array array) {
            return new Array(
                    place,
                    array.elements().stream()
                            .map(element -> withArguments(element, bySlot, place))
                            .toList());
        }
        return value instanceof Unknown ? new Unknown(place) : value;
    }
}
