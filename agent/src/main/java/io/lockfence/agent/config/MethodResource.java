/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.util.ArrayList;
import java.util.List;

/**
 * How the calls of a method rule name their resource: {@code settlement/{arg0}}. Immutable.
 *
 * @param parts text and paths, in order
 */
public record MethodResource(List<Part> parts) {
    /**
     * Text or a path.
     *
     * @param literal the text; null for a path
     * @param path null for text
     */
    public record Part(String literal, ValuePath path) {}

    public MethodResource {
        parts = List.copyOf(parts);
    }

    /**
     * Reads a template.
     *
     * @throws IllegalArgumentException saying what is wrong with it; a {@link WrongText} if a path is
     */
    static MethodResource parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("it is empty");
        }
        List<Part> parts = new ArrayList<>();
        boolean afterPath = false;
        for (Template.Part part : Template.paths(text)) {
            if (part.capture() == null) {
                parts.add(new Part(part.literal(), null));
            } else if (afterPath) {
                throw new IllegalArgumentException("nothing stands before {" + part.capture()
                        + "}, so that different locks would meet in one resource");
            } else {
                parts.add(new Part(null, ValuePath.parse(part.capture())));
            }
            afterPath = part.capture() != null;
        }
        return new MethodResource(parts);
    }

    /** Whether it needs what the call returned. */
    public boolean usesResult() {
        return parts.stream()
                .anyMatch(part -> part.path() != null && part.path().root() == ValuePath.Root.RESULT);
    }

    /** The template without its paths: two templates of one shape can name the same resource. */
    String shape() {
        StringBuilder shape = new StringBuilder();
        for (Part part : parts) {
            shape.append(part.path() == null ? part.literal() : "\uFFFF");
        }
        return shape.toString();
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Part part : parts) {
            if (part.path() == null) {
                text.append(part.literal().replace("{", "{{").replace("}", "}}"));
            } else {
                text.append('{').append(part.path()).append('}');
            }
        }
        return text.toString();
    }
}
