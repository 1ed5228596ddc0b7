/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A key that fencing headers are signed with: the text of an environment variable in UTF-8, without blanks and line ends around it, as it is:
 * {@code openssl rand -base64 32} makes one. Immutable; never shown.
 */
public final class SigningKey {
    /** As many bytes as HMAC-SHA256 makes. */
    public static final int SHORTEST = 32;

    private final byte[] bytes;

    private SigningKey(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Reads a key.
     *
     * @param variable the environment variable that holds it
     * @throws IllegalArgumentException saying what is wrong with it, never what it holds
     */
    public static SigningKey of(String variable, Map<String, String> environment) {
        String text = environment.get(variable);
        if (text == null) {
            throw new IllegalArgumentException("the environment variable " + Problem.shown(variable) + " is not set");
        }
        byte[] bytes = text.strip().getBytes(StandardCharsets.UTF_8);
        if (bytes.length < SHORTEST) {
            throw new IllegalArgumentException("the environment variable " + Problem.shown(variable) + " holds "
                    + bytes.length + " bytes, which are too few for a key");
        }
        return new SigningKey(bytes);
    }

    /**
     * What is wrong with the keys that rules name, each thing once; empty if nothing is.
     *
     * @param environment where they are looked for
     */
    public static Set<String> mistakes(Rules rules, Map<String, String> environment) {
        Set<String> mistakes = new LinkedHashSet<>();
        Stream.concat(
                        rules.targets().stream()
                                .map(TargetRule::destination)
                                .filter(HttpDestination.class::isInstance)
                                .map(services -> ((HttpDestination) services).key())
                                .filter(Objects::nonNull),
                        rules.receive().stream().flatMap(rule -> rule.keys().stream()))
                .forEach(variable -> {
                    try {
                        of(variable, environment);
                    } catch (IllegalArgumentException e) {
                        mistakes.add(e.getMessage());
                    }
                });
        return mistakes;
    }

    /** A copy; at least {@value #SHORTEST}. */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public String toString() {
        return "a key of " + bytes.length + " bytes";
    }
}
