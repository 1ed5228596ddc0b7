/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.classes.ClassIndex;
import io.lockfence.agent.cli.classes.ClassOutline;
import io.lockfence.agent.cli.classes.MethodOutline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The service's own methods: which ones a call can reach, and what is known of them so far. */
final class OwnMethods implements Simulation.Service {
    /** Of a method that more classes override, these are followed. */
    private static final int MOST_TARGETS = 16;

    private final ClassIndex index;
    private final Set<String> own = new HashSet<>();
    private final Map<String, MethodFacts> facts = new HashMap<>();
    private final Map<String, Summary> summaries = new HashMap<>();
    private final Map<String, List<String>> targets = new HashMap<>();
    private final Map<String, Declared> declared = new HashMap<>();
    /** Names of those methods. */
    private final Set<String> declaring = new HashSet<>();

    private final Set<String> statics = new HashSet<>();
    private boolean changed;
    /** Names of the methods that take or give back locks for their callers. */
    private final Set<String> telling = new HashSet<>();

    /** @param classes own ones, by internal name */
    OwnMethods(ClassIndex index, Set<String> classes) {
        this.index = index;
        this.own.addAll(classes);
    }

    @Override
    public boolean owns(String owner) {
        return own.contains(owner);
    }

    @Override
    public Summary summary(String owner, String name, String descriptor) {
        List<String> reached = targets(MethodFacts.key(owner, name, descriptor), owner, name, descriptor);
        return reached.size() == 1 ? summaries.getOrDefault(reached.get(0), Summary.NOTHING) : Summary.NOTHING;
    }

    @Override
    public Declared declared(String owner, String name, String descriptor) {
        if (!declaring.contains(name) || !owns(owner)) {
            return null;
        }
        for (String type : index.supertypesOf(owner.replace('/', '.'))) {
            Declared what = declared.get(MethodFacts.key(type.replace('.', '/'), name, descriptor));
            if (what != null) {
                return what;
            }
        }
        return null;
    }

    /** Keeps what the annotations of a method say. */
    void declare(String owner, String name, String descriptor, Declared what) {
        declaring.add(name);
        if (declared.put(MethodFacts.key(owner, name, descriptor), what) == null) {
            changed = true;
        }
    }

    /** Whether a class of the service implements the interface. */
    boolean isImplemented(String owner) {
        return index.subtypesOf(owner.replace('/', '.')).stream()
                .flatMap(name -> index.find(name).stream())
                .anyMatch(type -> !type.isInterface());
    }

    /** What is known of this very method. */
    Summary summary(MethodFacts method) {
        return summaries.getOrDefault(method.key(), Summary.NOTHING);
    }

    /** The method as its class declares it; null for lambdas and other methods that compilers make. */
    MethodOutline outline(MethodFacts method) {
        return outline(
                method.owner().replace('/', '.'),
                method.name(),
                method.key()
                        .substring(method.owner().length() + 1 + method.name().length()));
    }

    /** Keeps that a field belongs to its class. */
    void declareStatic(String owner, String name) {
        statics.add(owner + "." + name);
    }

    boolean isStatic(Value.Field field) {
        return statics.contains(field.owner() + "." + field.name());
    }

    /** Whether the call takes or gives back a lock for its caller, as far as is known. */
    boolean tellsOfLocks(String owner, String name, String descriptor) {
        return telling.contains(name)
                && owns(owner)
                && summary(owner, name, descriptor).tellsOfLocks();
    }

    void put(MethodFacts method, Summary summary) {
        facts.put(method.key(), method);
        Summary before =
                summary.equals(Summary.NOTHING) ? summaries.remove(method.key()) : summaries.put(method.key(), summary);
        if (summary.tellsOfLocks()) {
            telling.add(method.name());
        }
        Summary was = before == null ? Summary.NOTHING : before;
        if (!summary.taken().equals(was.taken()) || !summary.released().equals(was.released())) {
            changed = true;
        }
    }

    /** Whether anything that callers are judged by is new since this was last asked. */
    boolean changed() {
        boolean was = changed;
        changed = false;
        return was;
    }

    Iterable<MethodFacts> all() {
        return facts.values();
    }

    MethodFacts facts(String key) {
        return facts.get(key);
    }

    /** Keys of the methods that a call can reach. */
    List<String> targets(String key) {
        int parenthesis = key.indexOf('(');
        int dot = key.lastIndexOf('.', parenthesis);
        return targets(key, key.substring(0, dot), key.substring(dot + 1, parenthesis), key.substring(parenthesis));
    }

    private List<String> targets(String key, String owner, String name, String descriptor) {
        List<String> known = targets.get(key);
        if (known == null) {
            known = find(key, owner, name, descriptor);
            targets.put(key, known);
        }
        return known;
    }

    private List<String> find(String key, String owner, String name, String descriptor) {
        if (name.startsWith("lambda$") || name.startsWith("access$") || name.equals("<init>")) {
            return List.of(key);
        }
        List<String> found = new ArrayList<>();
        String type = owner.replace('/', '.');
        boolean overridable = true;
        for (String declaring : index.supertypesOf(type)) {
            MethodOutline method = outline(declaring, name, descriptor);
            if (method != null) {
                if (!method.isAbstract() && own.contains(declaring.replace('.', '/'))) {
                    found.add(MethodFacts.key(declaring.replace('.', '/'), name, descriptor));
                }
                overridable = !method.isStatic() && !method.isPrivate();
                break;
            }
        }
        if (overridable) {
            for (String subtype : index.subtypesOf(type)) {
                if (found.size() == MOST_TARGETS) {
                    break;
                }
                MethodOutline method = outline(subtype, name, descriptor);
                if (method != null && !method.isAbstract() && own.contains(subtype.replace('.', '/'))) {
                    found.add(MethodFacts.key(subtype.replace('.', '/'), name, descriptor));
                }
            }
        }
        return List.copyOf(found);
    }

    private MethodOutline outline(String type, String name, String descriptor) {
        ClassOutline declaring = index.find(type).orElse(null);
        if (declaring != null) {
            for (MethodOutline method : declaring.methods()) {
                if (method.name().equals(name) && method.descriptor().equals(descriptor)) {
                    return method;
                }
            }
        }
        return null;
    }
}
