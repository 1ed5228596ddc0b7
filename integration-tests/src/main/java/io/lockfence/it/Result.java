/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.util.List;
import java.util.Set;

/**
 * What came of a run.
 *
 * @param increments those that the services saw committed
 * @param stored what the database holds in the end
 * @param refusals the lines that say that an access was refused
 * @param states their SQLStates
 * @param output all that the services printed
 */
public record Result(long increments, long stored, List<String> refusals, Set<String> states, String output) {
    /** Increments that were committed, and are not there. */
    public long lost() {
        return increments - stored;
    }
}
