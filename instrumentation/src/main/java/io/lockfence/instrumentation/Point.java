/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

/**
 * One place to weave: a method of one class, and the advice that goes there.
 *
 * <p>Everything is matched by exact name, before any class is parsed: hierarchy matching costs half a second at start-up.
 *
 * @param className binary name of the woven class
 * @param method its name, or {@code <init>}
 * @param descriptor erased JVM descriptor such as {@code (J)V}, or a prefix of one such as {@code (J} for versions that differ in the rest; alternatives are
 *     separated by {@code |}, and only the first that matches is woven (of two overloads that call one another)
 * @param advice the class with the static {@code @Advice} methods
 * @param capability what is lost when no method matches, in the library's own list of capabilities
 */
public record Point(String className, String method, String descriptor, Class<?> advice, String capability) {}
