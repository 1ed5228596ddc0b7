/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A method as rules name it: {@code com.acme.LockClient#tryAcquire(java.lang.String,java.time.Duration)}. Types are written as erased, classes with all of
 * their package, nested ones with {@code $}; {@code T...} is {@code T[]}. Immutable.
 *
 * @param className binary name of the class, interface or abstract class
 * @param method its name; never a constructor
 * @param parameters the types as written, such as {@code byte[]}, without blanks
 */
public record MethodName(String className, String method, List<String> parameters) {
    private static final Map<String, String> PRIMITIVES = Map.of(
            "boolean", "Z", "byte", "B", "char", "C", "short", "S", "int", "I", "long", "J", "float", "F", "double",
            "D");
    private static final Set<String> JAVA_LANG = Set.of(
            "Object",
            "String",
            "CharSequence",
            "Boolean",
            "Byte",
            "Character",
            "Short",
            "Integer",
            "Long",
            "Float",
            "Double",
            "Number",
            "Runnable",
            "Enum",
            "Class",
            "Thread",
            "Iterable",
            "AutoCloseable");
    private static final Map<String, String> JAVA_OTHERS = Map.of(
            "Duration", "java.time.Duration",
            "Instant", "java.time.Instant",
            "TimeUnit", "java.util.concurrent.TimeUnit",
            "Callable", "java.util.concurrent.Callable",
            "Supplier", "java.util.function.Supplier",
            "List", "java.util.List",
            "Collection", "java.util.Collection",
            "Set", "java.util.Set",
            "Map", "java.util.Map",
            "UUID", "java.util.UUID");
    private static final int MOST_PARAMETERS = 255;

    public MethodName {
        Objects.requireNonNull(className);
        Objects.requireNonNull(method);
        parameters = List.copyOf(parameters);
    }

    /**
     * Reads a name.
     *
     * @throws WrongText saying what is wrong with it
     */
    static MethodName parse(String text) {
        int hash = text.indexOf('#');
        int open = text.indexOf('(');
        if (hash < 0) {
            int dot = text.lastIndexOf('.', open < 0 ? text.length() : open);
            String nearest = dot > 0 ? text.substring(0, dot) + "#" + text.substring(dot + 1) : "";
            throw new WrongText("a '#' must stand between class and method", nearest);
        }
        if (open < 0) {
            throw new WrongText("the types of its parameters are missing; '()' if it has none", "");
        }
        if (open < hash || !text.endsWith(")") || text.indexOf('(', open + 1) >= 0) {
            throw new WrongText("the types of its parameters must stand in one pair of parentheses at the end", "");
        }
        String className = text.substring(0, hash);
        String method = text.substring(hash + 1, open);
        String inside = text.substring(open + 1, text.length() - 1);
        checkClass(className, text);
        checkMethod(method, className, text);
        List<String> parameters = new ArrayList<>();
        if (!inside.isBlank()) {
            checkGenerics(inside, text);
            for (String parameter : inside.split(",", -1)) {
                parameters.add(parameter(parameter.strip(), text, parameters.size()));
            }
        }
        if (parameters.size() > MOST_PARAMETERS) {
            throw new WrongText("a method has no more than " + MOST_PARAMETERS + " parameters", "");
        }
        return new MethodName(className, method, parameters);
    }

    private static void checkClass(String className, String text) {
        if (className.indexOf('<') >= 0) {
            throw new WrongText("a class is named without its type arguments", text.replaceFirst("<.*?>(?=#)", ""));
        }
        if (className.indexOf('/') >= 0) {
            throw new WrongText("packages end with '.'", text.replace('/', '.'));
        }
        if (className.indexOf('*') >= 0) {
            throw new WrongText(
                    "a class is named exactly, without '*'; name an interface or a superclass for all that implement it",
                    "");
        }
        if (className.matches("(java|javax|jdk|sun)\\..*")) {
            throw new WrongText(
                    "a class of the JDK cannot be named: all of the JVM calls it. Name the service's own class that implements or calls it",
                    "");
        }
        if (!isQualified(className)) {
            throw new WrongText("'" + Problem.shown(className) + "' is no name of a class", "");
        }
    }

    private static void checkMethod(String method, String className, String text) {
        String simple = className.substring(Math.max(className.lastIndexOf('.'), className.lastIndexOf('$')) + 1);
        if (method.equals("<init>") || method.equals("new") || method.equals(simple)) {
            throw new WrongText(
                    "a constructor cannot be named: the object is not there before it ends, and a subclass runs it too."
                            + " Name a method",
                    "");
        }
        if (method.equals("<clinit>")) {
            throw new WrongText("a static initializer cannot be named", "");
        }
        if (method.equals("*")) {
            throw new WrongText("a method is named exactly, without '*'; several are a list", "");
        }
        if (!isIdentifier(method)) {
            throw new WrongText(
                    "'" + Problem.shown(method) + "' is no name of a method",
                    text.contains("# ") ? text.replace("# ", "#") : "");
        }
    }

    private static void checkGenerics(String inside, String text) {
        if (inside.indexOf('<') >= 0) {
            StringBuilder erased = new StringBuilder();
            int depth = 0;
            for (char c : inside.toCharArray()) {
                depth += c == '<' ? 1 : 0;
                if (depth == 0) {
                    erased.append(c);
                }
                depth -= c == '>' ? 1 : 0;
            }
            throw new WrongText(
                    "a parameter is named by its erased type, as the class file has it: without type arguments, and for a type variable its bound"
                            + " (java.lang.Object if it has none)",
                    depth == 0 ? text.replace(inside, erased) : "");
        }
    }

    private static String parameter(String parameter, String text, int index) {
        String type = parameter.endsWith("...")
                ? parameter.substring(0, parameter.length() - 3).strip() + "[]"
                : parameter;
        String element = type;
        while (element.endsWith("[]")) {
            element = element.substring(0, element.length() - 2).strip();
        }
        String where = "parameter " + (index + 1);
        if (element.isEmpty()) {
            throw new WrongText(where + " has no type", "");
        }
        if (element.indexOf(' ') >= 0) {
            String first = element.startsWith("final ") ? element.substring(6).strip() : element;
            int blank = first.indexOf(' ');
            throw new WrongText(
                    where + " has more than its type",
                    text.replace(parameter, blank < 0 ? first : first.substring(0, blank)));
        }
        if (element.equals("void")) {
            throw new WrongText(where + " cannot be void; '()' if it has no parameters", "");
        }
        if (PRIMITIVES.containsKey(element)) {
            return type;
        }
        if (element.indexOf('/') >= 0) {
            throw new WrongText(where + ": packages end with '.'", text.replace('/', '.'));
        }
        if (!isQualified(element)) {
            throw new WrongText(where + ": '" + Problem.shown(element) + "' is no type", "");
        }
        if (element.indexOf('.') < 0) {
            String full = JAVA_LANG.contains(element) ? "java.lang." + element : JAVA_OTHERS.get(element);
            if (full == null && element.length() == 1) {
                throw new WrongText(
                        where + ": '" + element
                                + "' seems to be a type variable; expected its bound, as the class file has it (java.lang.Object if it has none)",
                        "");
            }
            String primitive = Nearest.to(element, PRIMITIVES.keySet());
            if (full == null && !primitive.isEmpty()) {
                throw new WrongText(
                        where + ": '" + element + "' is no type",
                        text.replace(parameter, type.replace(element, primitive)));
            }
            if (full != null) {
                throw new WrongText(
                        where + ": '" + element + "' lacks its package",
                        withParameter(text, index, type.replace(element, full)));
            }
        }
        return type;
    }

    private static String withParameter(String text, int index, String type) {
        int open = text.indexOf('(');
        String[] parameters = text.substring(open + 1, text.length() - 1).split(",", -1);
        parameters[index] = type;
        return text.substring(0, open + 1) + String.join(",", parameters) + ")";
    }

    private static boolean isQualified(String name) {
        for (String part : name.split("\\.", -1)) {
            if (!isIdentifier(part)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isIdentifier(String name) {
        if (name.isEmpty() || !Character.isJavaIdentifierStart(name.charAt(0))) {
            return false;
        }
        return name.chars().allMatch(Character::isJavaIdentifierPart);
    }

    /** The parameters as a class file has them: {@code (Ljava/lang/String;[B)}. */
    public String descriptor() {
        StringBuilder descriptor = new StringBuilder("(");
        for (String parameter : parameters) {
            String element = parameter;
            while (element.endsWith("[]")) {
                descriptor.append('[');
                element = element.substring(0, element.length() - 2);
            }
            String primitive = PRIMITIVES.get(element);
            descriptor.append(primitive != null ? primitive : "L" + element.replace('.', '/') + ";");
        }
        return descriptor.append(')').toString();
    }

    /** As it stands in the rules, without blanks. */
    @Override
    public String toString() {
        return className + "#" + method + "(" + String.join(",", parameters) + ")";
    }
}
