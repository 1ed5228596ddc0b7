/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.Objects;

/** Bytes that do not change, and are equal by what they are. */
public final class Bytes {
    private final byte[] bytes;

    private Bytes(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A copy. */
    public static Bytes of(byte[] bytes) {
        return new Bytes(bytes.clone());
    }

    /** Their number. */
    public int length() {
        return bytes.length;
    }

    /** Whether they are the same; the time taken does not tell where they differ. */
    boolean sameAs(byte[] others) {
        return MessageDigest.isEqual(bytes, others);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that && sameAs(that.bytes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(bytes.length, bytes.length == 0 ? 0 : bytes[0]);
    }

    /** In base64. */
    @Override
    public String toString() {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
