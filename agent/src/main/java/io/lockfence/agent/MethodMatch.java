/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.instrumentation.methods.LockMethods;
import io.lockfence.instrumentation.methods.LockMethods.Part;
import io.lockfence.instrumentation.methods.MethodPoint;
import io.lockfence.instrumentation.methods.MethodPoint.Role;
import io.lockfence.instrumentation.methods.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.jar.asm.Type;

/**
 * Whether a method that a rule names is in a class, and whether the rule's paths fit it: said when the class is woven, not at the first call. Reads
 * class files only.
 */
public final class MethodMatch {
    /**
     * What a rule's method is in one class.
     *
     * @param methods to weave; none where it is abstract, or inherited
     * @param problem why it cannot be woven; null if it can
     */
    public record Found(List<MethodDescription.InDefinedShape> methods, String problem) {
        private static Found wrong(String problem) {
            return new Found(List.of(), problem);
        }
    }

    private static final Set<String> NUMBERS = Set.of(
            "byte",
            "short",
            "int",
            "long",
            "java.lang.Byte",
            "java.lang.Short",
            "java.lang.Integer",
            "java.lang.Long",
            "java.lang.Number",
            "java.math.BigInteger",
            "java.util.concurrent.atomic.AtomicLong",
            "java.util.concurrent.atomic.AtomicInteger");
    private static final Set<String> NEVER_NULL = Set.of("void", "char", "float", "double", "java.lang.Void");

    private MethodMatch() {}

    /** Finds the method of a rule in its class, or in a subtype of that. */
    public static Found find(TypeDescription type, MethodPoint point) {
        boolean itself = type.getName().equals(point.className());
        List<MethodDescription.InDefinedShape> named = type.getDeclaredMethods().stream()
                .filter(method -> method.getInternalName().equals(point.method()))
                .filter(method -> itself || !method.isStatic() && !method.isPrivate())
                .toList();
        List<MethodDescription.InDefinedShape> found = new ArrayList<>();
        for (MethodDescription.InDefinedShape method : named) {
            if (method.getDescriptor().startsWith(point.parameters())) {
                if (method.isBridge()) {
                    found.addAll(bridged(named, method));
                } else {
                    found.add(method);
                }
            }
        }
        if (found.isEmpty()) {
            return itself ? Found.wrong(missing(type, point, named)) : inherited(type, point);
        }
        List<MethodDescription.InDefinedShape> woven = new ArrayList<>();
        for (MethodDescription.InDefinedShape method : found) {
            if (method.isNative()) {
                return Found.wrong(shown(type, point) + " is native and cannot be woven");
            }
            String problem = method.isAbstract() ? null : problem(method, point);
            if (problem != null) {
                return Found.wrong(problem);
            }
            if (!method.isAbstract() && !woven.contains(method)) {
                woven.add(method);
            }
        }
        return new Found(woven, null);
    }

    /** What a bridge calls: the same method with the types that a subtype of a generic type has given it. */
    private static List<MethodDescription.InDefinedShape> bridged(
            List<MethodDescription.InDefinedShape> named, MethodDescription.InDefinedShape bridge) {
        List<TypeDescription> erased = bridge.getParameters().asTypeList().asErasures();
        return named.stream()
                .filter(method -> !method.isBridge() && method.getParameters().size() == erased.size())
                .filter(method -> {
                    for (int i = 0; i < erased.size(); i++) {
                        if (!method.getParameters().get(i).getType().asErasure().isAssignableTo(erased.get(i))) {
                            return false;
                        }
                    }
                    return true;
                })
                .toList();
    }

    /** A subtype that does not declare the method: fine where the code that it runs belongs to a type that is woven as well. */
    private static Found inherited(TypeDescription type, MethodPoint point) {
        if (type.isAbstract()) {
            return new Found(List.of(), null);
        }
        for (TypeDefinition declaring = type.getSuperClass();
                declaring != null;
                declaring = declaring.getSuperClass()) {
            TypeDescription superclass = declaring.asErasure();
            boolean declares = superclass.getDeclaredMethods().stream()
                    .anyMatch(method -> method.getInternalName().equals(point.method())
                            && method.getDescriptor().startsWith(point.parameters())
                            && !method.isAbstract()
                            && !method.isStatic());
            if (declares) {
                return isSubtype(superclass, point.className())
                        ? new Found(List.of(), null)
                        : Found.wrong(
                                type.getName() + " inherits " + point.method() + readable(point.parameters()) + " from "
                                        + superclass.getName() + ", which is no " + point.className() + ": name "
                                        + superclass.getName() + "#" + point.method() + readable(point.parameters())
                                        + " as well");
            }
        }
        return new Found(List.of(), null);
    }

    private static boolean isSubtype(TypeDescription type, String name) {
        return hierarchy(type).stream()
                .anyMatch(supertype -> supertype.getTypeName().equals(name)
                        || supertype.asErasure().getName().equals(name));
    }

    private static String missing(
            TypeDescription type, MethodPoint point, List<MethodDescription.InDefinedShape> named) {
        String what = "there is no method " + shown(type, point);
        for (TypeDefinition supertype : hierarchy(type)) {
            if (supertype.asErasure().getDeclaredMethods().stream()
                    .anyMatch(method -> method.getInternalName().equals(point.method())
                            && method.getDescriptor().startsWith(point.parameters()))) {
                return what + ", it is inherited: name " + shown(supertype.asErasure(), point);
            }
        }
        if (!named.isEmpty()) {
            return what + "; methods of that name are "
                    + named.stream()
                            .filter(method -> !method.isSynthetic())
                            .map(MethodMatch::shown)
                            .collect(Collectors.joining(", "));
        }
        Set<String> others = new TreeSet<>();
        type.getDeclaredMethods().stream()
                .filter(method -> method.isMethod()
                        && !method.isSynthetic()
                        && method.getDescriptor().startsWith(point.parameters()))
                .forEach(method -> others.add(method.getName()));
        return what + (others.isEmpty() ? "" : "; methods with its parameters are " + String.join(", ", others));
    }

    private static String shown(TypeDescription type, MethodPoint point) {
        return type.getName() + "#" + point.method() + readable(point.parameters());
    }

    private static String shown(MethodDescription method) {
        return method.getName()
                + method.getParameters().asTypeList().asErasures().stream()
                        .map(TypeDefinition::getActualName)
                        .collect(Collectors.joining(",", "(", ")"));
    }

    /** A descriptor as rules write it. */
    private static String readable(String parameters) {
        return Type.getMethodType(parameters + "V").getArgumentTypes().length == 0
                ? "()"
                : Arrays.stream(Type.getMethodType(parameters + "V").getArgumentTypes())
                        .map(Type::getClassName)
                        .collect(Collectors.joining(",", "(", ")"));
    }

    /** What of the rule does not fit the method; null if all does. */
    private static String problem(MethodDescription.InDefinedShape method, MethodPoint point) {
        if (point.role() == Role.TARGET) {
            return null;
        }
        LockMethods lock = point.lock();
        try {
            TypeDescription result = result(method, point.role());
            if (point.role() != Role.RELEASE && !lock.always()) {
                checkSuccess(result, point.role());
            }
            for (Part part : lock.resource()) {
                if (part.path() != null) {
                    walk("resource", method, result, part.path(), point.role());
                }
            }
            if (point.role() != Role.RELEASE
                    && lock.lease() != null
                    && lock.lease().constant() == null) {
                checkLease(method, result, lock.lease(), point.role());
            }
            if (point.role() == Role.ACQUIRE && lock.token() != null) {
                TypeDescription token = walk("token", method, result, lock.token(), point.role());
                if (!NUMBERS.contains(token.getName())) {
                    throw new Misfit("its token " + lock.token() + " is a " + token.getActualName()
                            + ", expected a whole number");
                }
            }
            return null;
        } catch (Misfit e) {
            return "the rule does not fit " + method.getDeclaringType().getActualName() + "#" + shown(method) + ": "
                    + e.getMessage();
        }
    }

    private static void checkLease(
            MethodDescription.InDefinedShape method, TypeDescription result, LockMethods.LeaseTime lease, Role role)
            throws Misfit {
        TypeDescription value = walk("lease", method, result, lease.value(), role);
        boolean number = NUMBERS.contains(value.getName());
        if (lease.unit() == null && lease.unitValue() == null) {
            if (number) {
                throw new Misfit("its lease " + lease.value() + " is a number, expected a unit with it, such as '"
                        + lease.value() + " ms'");
            }
            if (!value.represents(Duration.class)) {
                throw new Misfit("its lease " + lease.value() + " is a " + value.getActualName()
                        + ", expected java.time.Duration, or a number with a unit");
            }
            return;
        }
        if (!number) {
            throw new Misfit("its lease " + lease.value() + " is a " + value.getActualName()
                    + ", expected a number in front of its unit");
        }
        if (lease.unitValue() != null) {
            TypeDescription unit = walk("lease", method, result, lease.unitValue(), role);
            if (!unit.represents(TimeUnit.class) && !unit.represents(ChronoUnit.class)) {
                throw new Misfit("the unit " + lease.unitValue() + " of its lease is a " + unit.getActualName()
                        + ", expected java.util.concurrent.TimeUnit");
            }
        }
    }

    private static void checkSuccess(TypeDescription result, Role role) throws Misfit {
        String success = role == Role.ACQUIRE ? "the lock was taken" : "it was prolonged";
        if (NEVER_NULL.contains(result.getName())) {
            throw new Misfit("its result, " + result.getActualName() + ", does not tell whether " + success
                    + "; expected 'when: always' if it throws where it was not");
        }
        if (NUMBERS.contains(result.getName())) {
            throw new Misfit("its result is a number, and which numbers mean that " + success
                    + " is not known; expected a method that returns a boolean, or an object or null");
        }
    }

    /** Whether the service can be given another future than the method's: one that completes when the lease has begun. */
    static boolean isAsync(MethodDescription method) {
        TypeDescription result = method.getReturnType().asErasure();
        return result.represents(CompletionStage.class) || result.represents(CompletableFuture.class);
    }

    /** What {@code result} is: the value in a CompletionStage, or in an Optional. */
    private static TypeDescription result(MethodDescription.InDefinedShape method, Role role) throws Misfit {
        TypeDescription.Generic returned = method.getReturnType();
        TypeDescription erased = returned.asErasure();
        if (role == Role.RELEASE || isAsync(method)) {
            return unwrapped(returned);
        }
        if (erased.isAssignableTo(CompletionStage.class)) {
            if (role == Role.ACQUIRE) {
                throw new Misfit(
                        "it returns a " + erased.getActualName()
                                + ", for which the service cannot be given a future that completes when the lease has begun; expected one that returns a CompletableFuture or CompletionStage, or the lock itself");
            }
            return TypeDescription.ForLoadedType.of(Object.class);
        }
        if (erased.isAssignableTo(Future.class)) {
            throw new Misfit(
                    "it returns a " + erased.getActualName()
                            + ", which tells nobody when it completes; expected one that returns a CompletableFuture or CompletionStage, or the result itself");
        }
        return unwrapped(returned);
    }

    private static TypeDescription unwrapped(TypeDescription.Generic type) {
        TypeDescription erased = type.asErasure();
        boolean wraps = erased.represents(Optional.class)
                || erased.represents(CompletionStage.class)
                || erased.represents(CompletableFuture.class);
        if (!wraps) {
            return erased;
        }
        return type.getSort() == TypeDefinition.Sort.PARAMETERIZED
                        && type.getTypeArguments().size() == 1
                ? unwrapped(type.getTypeArguments().getOnly())
                : TypeDescription.ForLoadedType.of(Object.class);
    }

    /** The type of the value that a path leads to. */
    private static TypeDescription walk(
            String what, MethodDescription.InDefinedShape method, TypeDescription result, Path path, Role role)
            throws Misfit {
        TypeDescription type = root(what, method, result, path, role);
        String so = path.root() == Path.Root.ARGUMENT
                ? "arg" + path.argument()
                : path.root() == Path.Root.THIS ? "this" : "result";
        for (String step : path.steps()) {
            TypeDescription next = step(type, step);
            if (next == null) {
                Set<String> near = members(type);
                throw new Misfit("its " + what + " " + path + ": " + so + " is a " + type.getActualName()
                        + ", which has no method without parameters, getter or field '" + step + "'"
                        + (near.isEmpty()
                                ? ""
                                : "; it has " + near.stream().limit(12).collect(Collectors.joining(", "))));
            }
            type = next;
            so += "." + step;
        }
        return type;
    }

    private static TypeDescription root(
            String what, MethodDescription.InDefinedShape method, TypeDescription result, Path path, Role role)
            throws Misfit {
        switch (path.root()) {
            case ARGUMENT -> {
                if (path.argument() >= method.getParameters().size()) {
                    throw new Misfit("its " + what + " " + path + ": the method has "
                            + method.getParameters().size() + " parameters, counted from arg0");
                }
                return method.getParameters().get(path.argument()).getType().asErasure();
            }
            case THIS -> {
                if (method.isStatic()) {
                    throw new Misfit("its " + what + " " + path + ": the method is static, so there is no 'this'");
                }
                return method.getDeclaringType();
            }
            default -> {
                if (role == Role.RELEASE) {
                    throw new Misfit("its " + what + " " + path + ": the lease ends before the method returns");
                }
                if (result.represents(void.class)) {
                    throw new Misfit("its " + what + " " + path + ": the method returns nothing");
                }
                return result;
            }
        }
    }

    private static TypeDescription step(TypeDescription type, String name) {
        String property = Character.toUpperCase(name.charAt(0)) + name.substring(1);
        for (String candidate : new String[] {name, "get" + property, "is" + property}) {
            for (TypeDefinition declaring : hierarchy(type)) {
                for (MethodDescription method : declaring.getDeclaredMethods()) {
                    if (method.getName().equals(candidate)
                            && method.getParameters().isEmpty()
                            && !method.getReturnType().represents(void.class)
                            && !method.isBridge()
                            && !method.isStatic()
                            && (method.isPublic() || !isPlatform(declaring))) {
                        return method.getReturnType().asErasure();
                    }
                }
            }
        }
        for (TypeDefinition declaring = type; declaring != null; declaring = declaring.getSuperClass()) {
            for (FieldDescription field : declaring.getDeclaredFields()) {
                if (field.getName().equals(name) && !field.isStatic() && (field.isPublic() || !isPlatform(declaring))) {
                    return field.getType().asErasure();
                }
            }
        }
        return null;
    }

    /** Whose private members nobody may look at. */
    private static boolean isPlatform(TypeDefinition type) {
        return type.getTypeName().startsWith("java.") || type.getTypeName().startsWith("jdk.");
    }

    private static List<TypeDefinition> hierarchy(TypeDescription type) {
        List<TypeDefinition> all = new ArrayList<>();
        for (TypeDefinition declaring = type; declaring != null; declaring = declaring.getSuperClass()) {
            all.add(declaring);
        }
        for (int i = 0; i < all.size(); i++) {
            for (TypeDefinition inherited : all.get(i).getInterfaces()) {
                if (!all.contains(inherited)) {
                    all.add(inherited);
                }
            }
        }
        return all;
    }

    /** For messages: what a step could have been. */
    private static Set<String> members(TypeDescription type) {
        Set<String> names = new TreeSet<>();
        type.getDeclaredMethods().stream()
                .filter(method -> method.isMethod()
                        && !method.isStatic()
                        && !method.isSynthetic()
                        && method.getParameters().isEmpty()
                        && !method.getReturnType().represents(void.class))
                .forEach(method -> names.add(method.getName()));
        type.getDeclaredFields().stream()
                .filter(field -> !field.isStatic() && !field.isSynthetic())
                .forEach(field -> names.add(field.getName()));
        return names;
    }

    /** A rule does not fit a method. */
    private static final class Misfit extends Exception {
        private static final long serialVersionUID = 1;

        Misfit(String message) {
            super(message, null, false, false);
        }
    }
}
