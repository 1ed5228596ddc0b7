/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.classes;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * A method without its code.
 *
 * @param name as in the class file: {@code <init>} for a constructor
 * @param descriptor erased, such as {@code (J)V}
 * @param access flags of the class file
 * @param generic the generic signature where a type variable stands in it; null elsewhere
 */
public record MethodOutline(String name, String descriptor, int access, String generic) {
    public boolean isStatic() {
        return (access & Opcodes.ACC_STATIC) != 0;
    }

    public boolean isAbstract() {
        return (access & Opcodes.ACC_ABSTRACT) != 0;
    }

    public boolean isNative() {
        return (access & Opcodes.ACC_NATIVE) != 0;
    }

    public boolean isPrivate() {
        return (access & Opcodes.ACC_PRIVATE) != 0;
    }

    /** Made by the compiler to pass a call on to the method with the more special types. */
    public boolean isBridge() {
        return (access & Opcodes.ACC_BRIDGE) != 0;
    }

    /** As rules write them: {@code java.lang.String}, {@code byte[]}. */
    public List<String> parameterTypes() {
        List<String> types = new ArrayList<>();
        for (Type type : Type.getArgumentTypes(descriptor)) {
            types.add(type.getClassName());
        }
        return types;
    }

    /** As rules write it: {@code send(byte[])}. */
    public String written() {
        return name + parameterTypes().stream().collect(Collectors.joining(",", "(", ")"));
    }
}
