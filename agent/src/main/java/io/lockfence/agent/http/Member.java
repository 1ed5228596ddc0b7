/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import java.util.List;
import java.util.Map;

/** What a list of structured values holds (RFC 9651, section 3.1). */
sealed interface Member {
    /** A value with parameters, in the order of their first appearance. */
    record Item(Bare value, Map<String, Bare> parameters) implements Member {}

    record InnerList(List<Item> items, Map<String, Bare> parameters) implements Member {}
}
