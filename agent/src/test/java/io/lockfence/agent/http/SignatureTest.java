/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.agent.config.SigningKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SignatureTest {
    private static final SigningKey OLD = key("an old key of more than 32 bytes, in a variable");
    private static final SigningKey NEW = key("a new key of more than 32 bytes, in a variable");
    private static final FencingToken ORDER = new FencingToken("orders/42", "order:42", 1729, 3, "7f3c", null);

    private static SigningKey key(String text) {
        return SigningKey.of("KEY", Map.of("KEY", text));
    }

    @Test
    void whatIsSignedTravelsAndIsVerified() throws Exception {
        String field = FencingToken.write(List.of(Signature.sign(ORDER, NEW)));

        FencingToken read = FencingToken.parse(List.of(field)).get(0);

        assertThat(field)
                .startsWith(FencingToken.write(List.of(ORDER)) + ";sig=:")
                .endsWith("=:");
        assertThat(Signature.verify(read, List.of(NEW))).isTrue();
    }

    /** Computed with another program: {@code printf 'lockfence item v1\n...' | openssl dgst -sha256 -hmac KEY -binary | base64}. */
    @Test
    void theSignatureIsWhatTheGuideSays() {
        assertThat(Signature.sign(ORDER, NEW).signature().toString())
                .isEqualTo("z3NKaTC+Z38+cbkzmPBTgc76AFHybKfQLEKKuFzc67M=");
    }

    @Test
    void eitherOfTwoKeysWillDoWhileTheyChange() {
        List<SigningKey> both = List.of(NEW, OLD);

        assertThat(Signature.verify(Signature.sign(ORDER, NEW), both)).isTrue();
        assertThat(Signature.verify(Signature.sign(ORDER, OLD), both)).isTrue();
        assertThat(Signature.verify(Signature.sign(ORDER, OLD), List.of(NEW))).isFalse();
        assertThat(Signature.verify(Signature.sign(ORDER, OLD), List.of())).isFalse();
    }

    @Test
    void whatWasNotSignedIsNotVerified() {
        assertThat(Signature.verify(ORDER, List.of(NEW))).isFalse();
        assertThat(Signature.verify(ORDER.with(Bytes.of(new byte[32])), List.of(NEW)))
                .isFalse();
        assertThat(Signature.verify(ORDER.with(Bytes.of(new byte[1])), List.of(NEW)))
                .isFalse();
    }

    @Test
    void noPartOfAnItemCanBeChanged() {
        Bytes signature = Signature.sign(ORDER, NEW).signature();
        List<FencingToken> changed = List.of(
                new FencingToken("orders/43", "order:42", 1729, 3, "7f3c", signature),
                new FencingToken("orders/42", "order:43", 1729, 3, "7f3c", signature),
                new FencingToken("orders/42", "order:42", 1730, 3, "7f3c", signature),
                new FencingToken("orders/42", "order:42", 1729, 4, "7f3c", signature),
                new FencingToken("orders/42", "order:42", 1729, 3, "7f3d", signature));

        assertThat(Signature.verify(ORDER.with(signature), List.of(NEW))).isTrue();
        assertThat(changed).noneMatch(token -> Signature.verify(token, List.of(NEW)));
    }

    @Test
    void howAnItemIsWrittenDoesNotMatterToItsSignature() throws Exception {
        String field = FencingToken.write(List.of(Signature.sign(ORDER, NEW)));
        String other = field.replace("\"orders/42\"", "%\"orders%2f42\"").replace(";gen", "; x=1; gen");

        assertThat(Signature.verify(FencingToken.parse(List.of(other)).get(0), List.of(NEW)))
                .isTrue();
    }

    @Test
    void aKeyIsTheTextOfItsVariable() {
        String text = "0123456789abcdef0123456789abcdef";

        assertThat(key(" " + text + "\r\n").bytes()).isEqualTo(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(key(text)).hasToString("a key of 32 bytes");
    }

    @Test
    void aKeyThatIsMissingOrShortIsNamedAndNotShown() {
        assertThatThrownBy(() -> SigningKey.of("KEY", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the environment variable KEY is not set");
        assertThatThrownBy(() -> key("0123456789abcdef0123456789abcde \n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the environment variable KEY holds 31 bytes, which are too few for a key");
    }
}
