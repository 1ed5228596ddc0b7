/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.classes;

import io.lockfence.agent.cli.classes.MethodMatch.Found;
import io.lockfence.agent.cli.classes.MethodMatch.How;
import io.lockfence.agent.cli.classes.MethodMatch.Near;
import io.lockfence.agent.cli.classes.MethodPattern.Parameters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.jar.asm.Type;

/** Finds the methods that a pattern means, or says what is near. */
public final class MethodMatcher {
    private static final int MOST_NEAR = 8;
    private static final Set<String> PRIMITIVES =
            Set.of("int", "long", "boolean", "byte", "short", "char", "float", "double");
    private static final Map<String, String> BOXES = Map.of(
            "java.lang.Integer", "int",
            "java.lang.Long", "long",
            "java.lang.Boolean", "boolean",
            "java.lang.Byte", "byte",
            "java.lang.Short", "short",
            "java.lang.Character", "char",
            "java.lang.Float", "float",
            "java.lang.Double", "double");

    private final ClassIndex index;

    public MethodMatcher(ClassIndex index) {
        this.index = index;
    }

    /** What of the index the pattern means. */
    public MethodMatch match(MethodPattern pattern) {
        ClassOutline type = index.find(pattern.className()).orElse(null);
        if (type == null) {
            return new MethodMatch(List.of(), nearClasses(pattern));
        }
        if (pattern.hierarchy() && (pattern.method().equals("<init>") || isConstructorName(type, pattern))) {
            return new MethodMatch(
                    List.of(),
                    List.of(
                            new Near(
                                    pattern.toString(),
                                    "a constructor cannot be fenced: there is no object to ask before it, and none to refuse after it; name a method")));
        }
        Map<String, Found> found = new LinkedHashMap<>();
        if (pattern.parameters() instanceof Parameters.Descriptor descriptor) {
            for (String beginning : descriptor.alternatives()) {
                collect(type, pattern, beginning, found);
                if (!found.isEmpty()) {
                    break;
                }
            }
        } else {
            collect(type, pattern, null, found);
        }
        return found.isEmpty()
                ? new MethodMatch(List.of(), nearMethods(type, pattern))
                : new MethodMatch(List.copyOf(found.values()), List.of());
    }

    private static boolean isConstructorName(ClassOutline type, MethodPattern pattern) {
        String simple = type.simpleName();
        return pattern.method().equals(simple.substring(simple.lastIndexOf('$') + 1))
                && type.methods().stream().noneMatch(method -> method.name().equals(pattern.method()));
    }

    private void collect(ClassOutline type, MethodPattern pattern, String beginning, Map<String, Found> found) {
        boolean declared = add(type, pattern, beginning, How.DECLARED, found);
        if (!pattern.hierarchy()) {
            return;
        }
        if (!declared) {
            inherited(type, pattern, beginning, How.INHERITED, found);
        }
        if (isOverridable(type, pattern, beginning)) {
            for (String name : index.subtypesOf(type.name())) {
                index.find(name).ifPresent(subtype -> {
                    if (!add(subtype, pattern, beginning, How.IMPLEMENTS, found)
                            && !subtype.isInterface()
                            && (type.isInterface() || !declared)) {
                        // class B extends A implements I: A's method implements I's, though A does not know I.
                        inherited(subtype, pattern, beginning, How.IMPLEMENTS, found);
                    }
                });
            }
        }
    }

    /** Static and private methods hide nothing and are overridden by nothing. */
    private boolean isOverridable(ClassOutline type, MethodPattern pattern, String beginning) {
        for (String name : index.supertypesOf(type.name())) {
            ClassOutline declaring = index.find(name).orElse(null);
            if (declaring != null) {
                for (MethodOutline method : declaring.methods()) {
                    if (matches(method, pattern, beginning)) {
                        return !method.isStatic() && !method.isPrivate();
                    }
                }
            }
        }
        return false;
    }

    /** @return whether the class declares the method, with a body or without */
    private static boolean add(
            ClassOutline type, MethodPattern pattern, String beginning, How how, Map<String, Found> found) {
        boolean declared = false;
        for (MethodOutline method : type.methods()) {
            if (!matches(method, pattern, beginning)) {
                continue;
            }
            declared = true;
            if (method.isBridge() && pattern.hierarchy()) {
                for (MethodOutline target : targetsOf(type, method)) {
                    put(found, new Found(type, target, how));
                }
            } else if (!method.isAbstract() && !method.isNative() && !method.isBridge()) {
                put(found, new Found(type, method, how));
            }
        }
        return declared;
    }

    private static void put(Map<String, Found> found, Found method) {
        found.putIfAbsent(
                method.declaring().name() + "#" + method.method().name()
                        + method.method().descriptor(),
                method);
    }

    /** What a bridge passes its calls on to: as many parameters, each of them the same or a more special reference. */
    private static List<MethodOutline> targetsOf(ClassOutline type, MethodOutline bridge) {
        Type[] wide = Type.getArgumentTypes(bridge.descriptor());
        return type.methods().stream()
                .filter(method -> method.name().equals(bridge.name()) && !method.isBridge() && !method.isAbstract())
                .filter(method -> {
                    Type[] narrow = Type.getArgumentTypes(method.descriptor());
                    if (narrow.length != wide.length) {
                        return false;
                    }
                    for (int i = 0; i < wide.length; i++) {
                        boolean bothReferences = wide[i].getSort() >= Type.ARRAY && narrow[i].getSort() >= Type.ARRAY;
                        if (!wide[i].equals(narrow[i]) && !bothReferences) {
                            return false;
                        }
                    }
                    return true;
                })
                .toList();
    }

    private void inherited(
            ClassOutline type, MethodPattern pattern, String beginning, How how, Map<String, Found> found) {
        for (String name : index.supertypesOf(type.name())) {
            ClassOutline declaring = index.find(name).orElse(null);
            if (declaring == null || declaring.name().equals(type.name())) {
                continue;
            }
            for (MethodOutline method : declaring.methods()) {
                if (matches(method, pattern, beginning)
                        && !method.isPrivate()
                        && !method.isAbstract()
                        && !method.isNative()
                        && !method.isBridge()) {
                    put(found, new Found(declaring, method, how));
                    return;
                }
            }
        }
    }

    private static boolean matches(MethodOutline method, MethodPattern pattern, String beginning) {
        if (!method.name().equals(pattern.method())) {
            return false;
        }
        return beginning == null
                ? method.parameterTypes().equals(((Parameters.Types) pattern.parameters()).names())
                : method.descriptor().startsWith(beginning);
    }

    private List<Near> nearClasses(MethodPattern pattern) {
        String simple = simple(pattern.className());
        List<String> near = new ArrayList<>();
        for (ClassOutline type : index.all()) {
            String other = simple(type.name());
            if (other.equals(simple)
                    || type.name().equalsIgnoreCase(pattern.className())
                    || type.name().replace('$', '.').equals(pattern.className().replace('$', '.'))) {
                near.add(type.name());
            }
        }
        if (near.isEmpty()) {
            for (ClassOutline type : index.all()) {
                if (Spelling.near(pattern.className(), type.name())) {
                    near.add(type.name());
                }
            }
        }
        return near.stream()
                .sorted(Comparator.comparingInt((String name) -> Spelling.distance(pattern.className(), name)))
                .limit(MOST_NEAR)
                .map(name -> new Near(
                        name,
                        name.replace('$', '.').equals(pattern.className())
                                ? "a class inside a class is written with '$'"
                                : "there is no class " + pattern.className() + " in the jars, but this one"))
                .toList();
    }

    private static String simple(String name) {
        return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
    }

    private List<Near> nearMethods(ClassOutline type, MethodPattern pattern) {
        List<Near> near = new ArrayList<>();
        Set<String> places = pattern.hierarchy() ? index.supertypesOf(type.name()) : Set.of(type.name());
        for (boolean sameName : new boolean[] {true, false}) {
            for (String place : places) {
                ClassOutline declaring = index.find(place).orElse(null);
                if (declaring == null) {
                    continue;
                }
                for (MethodOutline method : declaring.methods()) {
                    boolean same = method.name().equals(pattern.method());
                    if (same == sameName
                            && (same || Spelling.near(pattern.method(), method.name()))
                            && !(method.isBridge() && !matchesAny(method, pattern))
                            && near.size() < MOST_NEAR) {
                        near.add(new Near(declaring.name() + "#" + shown(method, pattern), why(method, pattern)));
                    }
                }
            }
            if (!near.isEmpty()) {
                break;
            }
        }
        return near;
    }

    private static String shown(MethodOutline method, MethodPattern pattern) {
        return pattern.parameters() instanceof Parameters.Descriptor
                ? method.name() + method.descriptor()
                : method.written();
    }

    private static boolean matchesAny(MethodOutline method, MethodPattern pattern) {
        return pattern.parameters() instanceof Parameters.Descriptor descriptor
                ? descriptor.alternatives().stream().anyMatch(beginning -> matches(method, pattern, beginning))
                : matches(method, pattern, null);
    }

    private static String why(MethodOutline method, MethodPattern pattern) {
        if (!method.name().equals(pattern.method())) {
            return "is called '" + method.name() + "', not '" + pattern.method() + "'";
        }
        if (matchesAny(method, pattern)) {
            if (method.isNative()) {
                return "is native: it has no code to weave";
            }
            return method.isAbstract()
                    ? "is abstract, and no class in the jars implements it"
                    : "only passes its calls on (a bridge of the compiler)";
        }
        if (pattern.parameters() instanceof Parameters.Types types) {
            return whyTypes(types.names(), method);
        }
        return "has other parameters";
    }

    private static String whyTypes(List<String> wanted, MethodOutline method) {
        List<String> has = method.parameterTypes();
        if (wanted.size() != has.size()) {
            return "has " + count(has.size()) + ", the rule says " + (wanted.isEmpty() ? "none" : wanted.size());
        }
        for (int i = 0; i < has.size(); i++) {
            String actual = has.get(i);
            String given = wanted.get(i);
            if (actual.equals(given)) {
                continue;
            }
            String where = "parameter " + (i + 1) + " is " + actual + ", the rule says " + given;
            if (given.indexOf('<') >= 0
                    && given.substring(0, given.indexOf('<')).equals(actual)) {
                return where + ": type arguments are not part of a method, leave them out";
            }
            if (actual.endsWith("." + given) || actual.endsWith("$" + given)) {
                return where + ": types are written with their package";
            }
            if (actual.equals(BOXES.get(given)) || given.equals(BOXES.get(actual))) {
                return where + ": " + (PRIMITIVES.contains(actual) ? "the primitive type" : "the class")
                        + " is another type than " + given;
            }
            if (actual.replace('$', '.').equals(given)) {
                return where + ": a class inside a class is written with '$'";
            }
            if (actual.equals(given + "[]")) {
                return where + ": an array, or the last parameter with '...'";
            }
            String variable = variable(method.generic(), i);
            return variable == null
                    ? where
                    : where + ": it is the type variable " + variable + ", which class files erase to " + actual;
        }
        return "differs";
    }

    private static String count(int parameters) {
        return parameters == 0 ? "no parameter" : parameters == 1 ? "1 parameter" : parameters + " parameters";
    }

    /** The name of the type variable that the parameter is of; null if it is of none. */
    private static String variable(String generic, int parameter) {
        if (generic == null) {
            return null;
        }
        int at = generic.indexOf('(') + 1;
        for (int i = 0; at < generic.length() && generic.charAt(at) != ')'; i++) {
            int start = at;
            at = end(generic, at);
            String type = generic.substring(start, at).replace("[", "");
            if (i == parameter) {
                return type.charAt(0) == 'T' ? type.substring(1, type.length() - 1) : null;
            }
        }
        return null;
    }

    /** Where the type that begins here ends. */
    private static int end(String generic, int start) {
        int at = start;
        while (generic.charAt(at) == '[') {
            at++;
        }
        if (generic.charAt(at) != 'L' && generic.charAt(at) != 'T') {
            return at + 1;
        }
        int depth = 0;
        for (; ; at++) {
            char c = generic.charAt(at);
            if (c == '<') {
                depth++;
            } else if (c == '>') {
                depth--;
            } else if (c == ';' && depth == 0) {
                return at + 1;
            }
        }
    }

    /** How far two names are apart. */
    static final class Spelling {
        private Spelling() {}

        static boolean near(String given, String name) {
            int allowed = Math.max(1, Math.min(3, name.length() / 4));
            return Math.abs(given.length() - name.length()) <= allowed && distance(given, name) <= allowed;
        }

        /** Insertions, deletions, replacements, and swaps of neighbours; upper case is no difference. */
        static int distance(String given, String name) {
            String a = given.toLowerCase(Locale.ROOT);
            String b = name.toLowerCase(Locale.ROOT);
            int[] last = new int[b.length() + 1];
            int[] before = new int[b.length() + 1];
            for (int j = 0; j <= b.length(); j++) {
                before[j] = j;
            }
            for (int i = 1; i <= a.length(); i++) {
                int[] row = new int[b.length() + 1];
                row[0] = i;
                for (int j = 1; j <= b.length(); j++) {
                    int replaced = before[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                    row[j] = Math.min(replaced, Math.min(before[j], row[j - 1]) + 1);
                    if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                        row[j] = Math.min(row[j], last[j - 2] + 1);
                    }
                }
                last = before;
                before = row;
            }
            return before[b.length()];
        }
    }
}
