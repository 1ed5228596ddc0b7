/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

/**
 * A place in the service's code.
 *
 * @param className binary name
 * @param file of the source; empty if the class file does not say
 * @param line 0 if the class file does not say
 */
public record Place(String className, String method, String file, int line) {
    /** As a stack trace has it. */
    @Override
    public String toString() {
        String where = file.isEmpty() ? "" : "(" + file + (line > 0 ? ":" + line : "") + ")";
        return className + "." + method + where;
    }
}
