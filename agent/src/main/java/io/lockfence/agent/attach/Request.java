/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.attach;

import io.lockfence.agent.config.Mode;

/**
 * What the command line asks of a running JVM; for nothing but how things stand, if there are neither rules nor a mode.
 *
 * @param rules the text of a rules file; null for the rules that are there
 * @param source the file's path, as messages name it; null where there are no rules
 * @param mode instead of that of the rules; null for theirs
 */
public record Request(String rules, String source, Mode mode) {}
