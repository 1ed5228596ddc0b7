/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.classes;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Which methods are meant.
 *
 * @param className binary name of a class or interface
 * @param method its name, or {@code <init>}
 * @param parameters what its parameters must be
 * @param hierarchy whether implementations and overrides in subtypes are meant too, and what the class inherits; else only what the class itself declares
 */
public record MethodPattern(String className, String method, Parameters parameters, boolean hierarchy) {
    public MethodPattern {
        Objects.requireNonNull(className);
        Objects.requireNonNull(method);
        Objects.requireNonNull(parameters);
    }

    /** How parameters are compared. */
    public sealed interface Parameters {
        /** Erased types as rules write them: {@code java.lang.String}, {@code byte[]}, {@code long}; {@code x...} is {@code x[]}. */
        record Types(List<String> names) implements Parameters {
            public Types {
                List<String> plain = new ArrayList<>();
                for (String name : names) {
                    String trimmed = name.strip();
                    plain.add(trimmed.endsWith("...") ? trimmed.substring(0, trimmed.length() - 3) + "[]" : trimmed);
                }
                names = List.copyOf(plain);
            }
        }

        /** A beginning of an erased descriptor; alternatives are separated by {@code |}, and only the first that matches counts. */
        record Descriptor(String beginnings) implements Parameters {
            List<String> alternatives() {
                return List.of(beginnings.split("\\|"));
            }
        }
    }

    /** A pattern as a rule has it: with everything that implements or overrides the method. */
    public static MethodPattern ofTypes(String className, String method, List<String> types) {
        return new MethodPattern(className, method, new Parameters.Types(types), true);
    }

    /** A pattern as a point of weaving has it: this class alone. */
    public static MethodPattern ofDescriptor(String className, String method, String beginnings) {
        return new MethodPattern(className, method, new Parameters.Descriptor(beginnings), false);
    }

    /** As rules write it. */
    @Override
    public String toString() {
        return className + "#" + method
                + (parameters instanceof Parameters.Types types
                        ? "(" + String.join(",", types.names()) + ")"
                        : " " + ((Parameters.Descriptor) parameters).beginnings());
    }
}
