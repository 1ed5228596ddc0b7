/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.Code.Annotation;
import io.lockfence.agent.cli.scan.Code.Instruction;
import io.lockfence.agent.cli.scan.MethodFacts.Scheduled;
import io.lockfence.agent.cli.scan.MethodFacts.Transactional;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** Reads one class of the service: the methods that matter are followed, of the others only the calls are kept. */
final class ClassScan extends ClassVisitor {
    /** Longer methods are made by generators, and take too long to follow. */
    private static final int LONGEST = 20_000;

    private static final int LONGEST_HELPER = 300;
    private static final Set<String> TRANSACTIONAL = Set.of(
            "Lorg/springframework/transaction/annotation/Transactional;",
            "Ljakarta/transaction/Transactional;",
            "Ljavax/transaction/Transactional;");
    private static final String SCHEDULED = "Lnet/javacrumbs/shedlock/spring/annotation/SchedulerLock;";

    /** What a lock is given back with, mostly kept in a field. */
    private static final String SCRIPTS = "org/springframework/data/redis/core/script/";

    private final Known known;
    private final OwnMethods service;
    private final Findings into;
    private final Map<String, String> names;
    private final List<Annotation> annotations = new ArrayList<>();
    private String owner;
    private String file = "";
    private boolean isInterface;

    /** What scans of classes add to. */
    static final class Findings {
        int methods;
        /** Whether any lock is taken at all. */
        boolean locks;

        final Map<Value.Field, List<Value>> fields = new HashMap<>();
        final Set<String> urls = new LinkedHashSet<>();
        final Set<String> notices = new LinkedHashSet<>();
    }

    /** @param names keys that are kept, so that equal ones are kept once */
    ClassScan(Known known, OwnMethods service, Findings into, Map<String, String> names) {
        super(Opcodes.ASM9);
        this.known = known;
        this.service = service;
        this.into = into;
        this.names = names;
    }

    void read(byte[] bytes) {
        new ClassReader(bytes).accept(this, ClassReader.SKIP_FRAMES);
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        owner = name;
        isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
    }

    @Override
    public void visitSource(String source, String debug) {
        file = source == null ? "" : source;
    }

    @Override
    public AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
        return Code.annotation(descriptor, annotations);
    }

    @Override
    public FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value) {
        if ((access & Opcodes.ACC_STATIC) != 0) {
            service.declareStatic(owner, name);
        }
        return null;
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] exceptions) {
        into.methods++;
        return new Code(owner, access, name, descriptor) {
            @Override
            public void visitEnd() {
                add(this);
            }
        };
    }

    private void add(Code code) {
        if (isInterface && (code.access & Opcodes.ACC_ABSTRACT) != 0 && !code.annotations.isEmpty()) {
            Declared declared = Declared.of(annotations, code.annotations, service.isImplemented(owner));
            if (declared != null) {
                service.declare(owner, code.name, code.descriptor, declared);
            }
        }
        for (Instruction instruction : code.instructions) {
            if (instruction.opcode() == Opcodes.LDC
                    && instruction.extra() instanceof String text
                    && text.startsWith("jdbc:")) {
                into.urls.add(text);
            }
        }
        Summary summary = Summary.NOTHING;
        List<Event> events = List.of();
        List<String> calls = List.of();
        boolean followed = false;
        if (matters(code) && !code.instructions.isEmpty()) {
            try {
                if (code.instructions.size() > LONGEST) {
                    throw new Simulation.Unfollowable("more than " + LONGEST + " instructions");
                }
                Simulation.Outcome outcome = Simulation.of(code, known, service);
                events = outcome.events();
                summary = outcome.summary();
                outcome.fields()
                        .forEach((field, values) -> into.fields
                                .computeIfAbsent(field, key -> new ArrayList<>())
                                .addAll(values));
                into.locks |= events.stream().anyMatch(event -> event instanceof Event.Taken);
                followed = true;
            } catch (Simulation.Unfollowable e) {
                into.notices.add(owner.replace('/', '.') + "." + code.name + ": could not be followed ("
                        + e.getMessage() + "); its calls are known, its locks are not");
            }
        }
        if (!followed) {
            calls = calls(code);
        }
        Transactional transactional = transactional(code);
        Scheduled scheduled = scheduled(code);
        if (events.isEmpty()
                && calls.isEmpty()
                && transactional == null
                && scheduled == null
                && summary.equals(Summary.NOTHING)) {
            return;
        }
        service.put(
                new MethodFacts(
                        shared(MethodFacts.key(code.owner, code.name, code.descriptor)),
                        code.owner,
                        code.name,
                        file,
                        code.lines.isEmpty() ? 0 : code.lines.get(0),
                        (code.access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0,
                        transactional,
                        scheduled,
                        events,
                        calls),
                summary);
    }

    private String shared(String key) {
        String before = names.putIfAbsent(key, key);
        return before == null ? key : before;
    }

    private boolean matters(Code code) {
        for (Instruction in : code.instructions) {
            if (in.opcode() >= Opcodes.INVOKEVIRTUAL
                    && in.opcode() <= Opcodes.INVOKEINTERFACE
                    && (known.matters(in.owner(), in.name(), in.descriptor())
                            || in.owner().startsWith(SCRIPTS)
                            || service.declared(in.owner(), in.name(), in.descriptor()) != null
                            || service.tellsOfLocks(in.owner(), in.name(), in.descriptor()))) {
                return true;
            }
        }
        // What puts a lock's name together.
        return code.descriptor.endsWith(")Ljava/lang/String;") && code.instructions.size() <= LONGEST_HELPER;
    }

    private List<String> calls(Code code) {
        Set<String> calls = new LinkedHashSet<>();
        for (Instruction in : code.instructions) {
            if (in.opcode() >= Opcodes.INVOKEVIRTUAL && in.opcode() <= Opcodes.INVOKEINTERFACE) {
                if (service.owns(in.owner())) {
                    calls.add(shared(MethodFacts.key(in.owner(), in.name(), in.descriptor())));
                }
            } else if (in.opcode() == Opcodes.INVOKEDYNAMIC && in.extra() instanceof Object[] arguments) {
                for (Object argument : arguments) {
                    if (argument instanceof Handle handle && service.owns(handle.getOwner())) {
                        calls.add(shared(MethodFacts.key(handle.getOwner(), handle.getName(), handle.getDesc())));
                    }
                }
            }
        }
        return List.copyOf(calls);
    }

    private Transactional transactional(Code code) {
        boolean intercepted = (code.access & (Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC)) == 0
                && code.name.charAt(0) != '<';
        if (!intercepted) {
            return null;
        }
        Annotation annotation = find(code.annotations, TRANSACTIONAL);
        if (annotation == null && (code.access & Opcodes.ACC_PUBLIC) != 0) {
            annotation = find(annotations, TRANSACTIONAL);
        }
        if (annotation == null) {
            return null;
        }
        boolean spring = annotation.type().contains("springframework");
        Object propagation = annotation.values().get(spring ? "propagation" : "value");
        return new Transactional(
                propagation instanceof String word ? word : "REQUIRED",
                Boolean.TRUE.equals(annotation.values().get("readOnly")),
                annotation.values().get("timeout") instanceof Integer seconds ? Math.max(0, seconds) : 0);
    }

    private static Scheduled scheduled(Code code) {
        Annotation annotation = find(code.annotations, Set.of(SCHEDULED));
        return annotation == null
                ? null
                : new Scheduled(
                        String.valueOf(annotation.values().getOrDefault("name", "")),
                        String.valueOf(annotation.values().getOrDefault("lockAtMostFor", "")));
    }

    private static Annotation find(List<Annotation> annotations, Set<String> types) {
        for (Annotation annotation : annotations) {
            if (types.contains(annotation.type())) {
                return annotation;
            }
        }
        return null;
    }
}
