/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.attach;

import java.util.List;

/**
 * What became of a {@link Request}.
 *
 * @param outcome whether it was carried out
 * @param lines for people
 */
public record Answer(Outcome outcome, List<String> lines) {
    /** Whether a request was carried out: wholly or not at all. */
    public enum Outcome {
        /** It was, and nothing is missing. */
        DONE,
        /** It was, and the lines say what could not be woven. */
        WITH_FINDINGS,
        /** Nothing has changed, and the lines say why. */
        REFUSED
    }

    public Answer {
        lines = List.copyOf(lines);
    }
}
