/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.classes;

import java.util.List;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * A class without its code. Names are binary names with dots.
 *
 * @param superName null for {@code java.lang.Object} and modules
 * @param methods in the order of the file; without the compiler's lambda bodies
 */
public record ClassOutline(
        String name,
        String superName,
        List<String> interfaces,
        int access,
        Origin origin,
        List<MethodOutline> methods) {
    public boolean isInterface() {
        return (access & Opcodes.ACC_INTERFACE) != 0;
    }

    public boolean isAbstract() {
        return (access & Opcodes.ACC_ABSTRACT) != 0;
    }

    /** The name without its package. */
    public String simpleName() {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
