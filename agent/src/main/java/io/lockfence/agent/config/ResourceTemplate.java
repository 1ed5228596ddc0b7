/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How a lock's name becomes the name of its resource: {@code orders/{id}}, or the lock's name itself. A template uses every capture of
 * its key, so that locks of different names have different resources (DESIGN P7). Immutable. Names may have any length: the fence
 * shortens what its table cannot hold.
 */
public final class ResourceTemplate {
    private final KeyPattern key;
    private final String text;
    private final List<Template.Part> parts;
    private final String shape;

    private ResourceTemplate(KeyPattern key, String text, List<Template.Part> parts) {
        this.key = key;
        this.text = text;
        this.parts = parts;
        this.shape = text == null ? key.shape() : shape(parts);
    }

    private static String shape(List<Template.Part> parts) {
        StringBuilder shape = new StringBuilder();
        for (Template.Part part : parts) {
            shape.append(part.capture() == null ? part.literal() : "\uFFFF");
        }
        return shape.toString();
    }

    /** The lock's own name is that of its resource. */
    public static ResourceTemplate lockName(KeyPattern key) {
        return new ResourceTemplate(key, null, List.of());
    }

    /**
     * Reads a template.
     *
     * @param key whose captures it uses
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public static ResourceTemplate parse(String text, KeyPattern key) {
        List<Template.Part> parts = parts(text);
        Set<String> unused = new HashSet<>(key.captures());
        for (Template.Part part : parts) {
            if (part.capture() != null) {
                if (key.run(part.capture()) < 0) {
                    throw new UnknownCapture(part.capture(), key);
                }
                unused.remove(part.capture());
            }
        }
        if (key.hasStar()) {
            throw new IllegalArgumentException(
                    "the key " + key
                            + " has a '*', so that locks of different names would share this resource: capture with {x} what '*' matches, and use it here");
        }
        for (String capture : key.captures()) {
            if (unused.contains(capture)) {
                throw new IllegalArgumentException("it does not use {" + capture + "} of the key " + key
                        + ", so that locks of different names would share this resource");
            }
        }
        return new ResourceTemplate(key, text, parts);
    }

    /**
     * What can be said of a template without its key.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    static List<Template.Part> parts(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("it is empty");
        }
        List<Template.Part> parts = List.copyOf(Template.split(text, false));
        boolean afterCapture = false;
        for (Template.Part part : parts) {
            if (part.capture() != null && afterCapture) {
                throw new IllegalArgumentException("nothing stands before {" + part.capture()
                        + "}, so that locks of different names would meet in one resource");
            }
            afterCapture = part.capture() != null;
        }
        return parts;
    }

    /** A capture that the key lacks. */
    static final class UnknownCapture extends IllegalArgumentException {
        private static final long serialVersionUID = 1;
        private final String capture;

        UnknownCapture(String capture, KeyPattern key) {
            super("the key " + key + " has no capture {" + capture + "}");
            this.capture = capture;
        }

        String capture() {
            return capture;
        }
    }

    /** The name of the resource; null if the lock's name does not match the key. */
    String resource(String lock) {
        String[] matched = key.match(lock);
        if (matched == null || isLockName()) {
            return matched == null ? null : lock;
        }
        StringBuilder name = new StringBuilder();
        for (Template.Part part : parts) {
            name.append(part.capture() == null ? part.literal() : matched[key.run(part.capture())]);
        }
        return name.toString();
    }

    /** Whether resources are named as their locks. */
    public boolean isLockName() {
        return text == null;
    }

    /** The template without the names of its captures: two templates of one shape can name the same resource. */
    String shape() {
        return shape;
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        return isLockName() ? "the lock's name" : text;
    }
}
