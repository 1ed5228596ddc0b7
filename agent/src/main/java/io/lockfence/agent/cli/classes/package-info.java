/**
 * Class files of a service, read and never loaded: {@link io.lockfence.agent.cli.classes.ClassFiles} walks jars, directories and jars in jars,
 * {@link io.lockfence.agent.cli.classes.ClassIndex} keeps the outlines of their classes, {@link io.lockfence.agent.cli.classes.MethodMatcher}
 * says which methods a rule means.
 */
package io.lockfence.agent.cli.classes;
