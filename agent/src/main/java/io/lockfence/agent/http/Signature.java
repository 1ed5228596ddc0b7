/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import io.lockfence.agent.config.SigningKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs the items of the fencing header, so that a receiver need not trust a network: HMAC-SHA256 over {@code lockfence item v1}, a line feed, and the item
 * as {@link FencingToken#write} writes it without {@code sig}. An item that was signed may be sent again by whoever has seen it: the fence answers that,
 * not the signature. Safe for use by threads.
 */
public final class Signature {
    /** What is signed with the same key for another purpose cannot be taken for an item. */
    private static final byte[] PURPOSE = "lockfence item v1\n".getBytes(StandardCharsets.US_ASCII);

    private static final String ALGORITHM = "HmacSHA256";

    private Signature() {}

    /** The same item with a signature; one that it has is replaced. */
    public static FencingToken sign(FencingToken token, SigningKey key) {
        return token.with(Bytes.of(mac(token, key)));
    }

    /**
     * Whether an item was signed with one of these keys. The time taken does not tell how far a wrong signature is right, nor which key was.
     *
     * @param keys one, or two while they change
     */
    public static boolean verify(FencingToken token, List<SigningKey> keys) {
        if (token.signature() == null) {
            return false;
        }
        boolean signed = false;
        for (SigningKey key : keys) {
            signed |= token.signature().sameAs(mac(token, key));
        }
        return signed;
    }

    private static byte[] mac(FencingToken token, SigningKey key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key.bytes(), ALGORITHM));
            mac.update(PURPOSE);
            return mac.doFinal(token.unsigned().getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }
}
