/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** The instructions of one method, as they stand in the class file. */
class Code extends MethodVisitor {
    /**
     * @param number a local's slot, an int operand, or an array's dimensions
     * @param owner internal name, or the type of a type instruction
     * @param extra a constant, the {@link Label}s of a jump, or the arguments of an invokedynamic
     */
    record Instruction(int opcode, int number, String owner, String name, String descriptor, Object extra) {}

    record Handler(Label start, Label end, Label handler) {}

    /** @param type descriptor of the annotation */
    record Annotation(String type, Map<String, Object> values) {}

    final String owner;
    final String name;
    final String descriptor;
    final int access;
    final List<Instruction> instructions = new ArrayList<>();
    final List<Integer> lines = new ArrayList<>();
    final List<Handler> handlers = new ArrayList<>();
    final Map<Label, Integer> places = new HashMap<>();
    final List<Annotation> annotations = new ArrayList<>();
    int maxStack;
    int maxLocals;
    private int line;

    Code(String owner, int access, String name, String descriptor) {
        super(Opcodes.ASM9);
        this.owner = owner;
        this.access = access;
        this.name = name;
        this.descriptor = descriptor;
    }

    boolean isStatic() {
        return (access & Opcodes.ACC_STATIC) != 0;
    }

    private void add(int opcode, int number, String type, String member, String memberDescriptor, Object extra) {
        instructions.add(new Instruction(opcode, number, type, member, memberDescriptor, extra));
        lines.add(line);
    }

    /** Reads the values of an annotation: constants, and enums by name. */
    static AnnotationVisitor annotation(String type, List<Annotation> into) {
        Map<String, Object> values = new LinkedHashMap<>();
        into.add(new Annotation(type, values));
        return new AnnotationVisitor(Opcodes.ASM9) {
            @Override
            public void visit(String key, Object value) {
                values.put(key, value);
            }

            @Override
            public void visitEnum(String key, String enumType, String value) {
                values.put(key, value);
            }

            /** Of an array the first element, or its texts in a row. */
            @Override
            public AnnotationVisitor visitArray(String key) {
                return new AnnotationVisitor(Opcodes.ASM9) {
                    @Override
                    public void visit(String none, Object value) {
                        values.merge(
                                key, value, (a, b) -> a instanceof String && b instanceof String ? a + " " + b : a);
                    }

                    @Override
                    public void visitEnum(String none, String enumType, String value) {
                        values.putIfAbsent(key, value);
                    }
                };
            }
        };
    }

    @Override
    public AnnotationVisitor visitAnnotation(String type, boolean visible) {
        return annotation(type, annotations);
    }

    @Override
    public void visitInsn(int opcode) {
        add(opcode, 0, null, null, null, null);
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        add(opcode, operand, null, null, null, null);
    }

    @Override
    public void visitVarInsn(int opcode, int slot) {
        add(opcode, slot, null, null, null, null);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        add(opcode, 0, type, null, null, null);
    }

    @Override
    public void visitFieldInsn(int opcode, String type, String member, String memberDescriptor) {
        add(opcode, 0, type, member, memberDescriptor, null);
    }

    @Override
    public void visitMethodInsn(int opcode, String type, String member, String memberDescriptor, boolean isInterface) {
        add(opcode, 0, type, member, memberDescriptor, null);
    }

    @Override
    public void visitInvokeDynamicInsn(
            String member, String memberDescriptor, Handle bootstrap, Object... bootstrapArguments) {
        add(Opcodes.INVOKEDYNAMIC, 0, bootstrap.getOwner(), member, memberDescriptor, bootstrapArguments);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        add(opcode, 0, null, null, null, new Label[] {label});
    }

    @Override
    public void visitLdcInsn(Object value) {
        add(Opcodes.LDC, 0, null, null, null, value);
    }

    @Override
    public void visitIincInsn(int slot, int increment) {
        add(Opcodes.IINC, slot, null, null, null, null);
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
        visitLookupSwitchInsn(otherwise, null, labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
        Label[] all = new Label[labels.length + 1];
        System.arraycopy(labels, 0, all, 1, labels.length);
        all[0] = otherwise;
        add(Opcodes.LOOKUPSWITCH, 0, null, null, null, all);
    }

    @Override
    public void visitMultiANewArrayInsn(String type, int dimensions) {
        add(Opcodes.MULTIANEWARRAY, dimensions, type, null, null, null);
    }

    @Override
    public void visitLabel(Label label) {
        places.put(label, instructions.size());
    }

    @Override
    public void visitLineNumber(int number, Label start) {
        line = number;
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
        handlers.add(new Handler(start, end, handler));
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        maxStack = stack;
        maxLocals = locals;
    }
}
