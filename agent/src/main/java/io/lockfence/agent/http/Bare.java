/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import java.math.BigDecimal;

/** The types that a value of a structured field can have (RFC 9651, section 3.3). */
sealed interface Bare {
    /** Up to 15 digits. */
    record IntegerValue(long number) implements Bare {}

    record DecimalValue(BigDecimal number) implements Bare {}

    record StringValue(String text) implements Bare {}

    record TokenValue(String text) implements Bare {}

    record ByteSequence(Bytes bytes) implements Bare {}

    record BooleanValue(boolean is) implements Bare {}

    /** Seconds since 1970. */
    record DateValue(long seconds) implements Bare {}

    record DisplayString(String text) implements Bare {}
}
