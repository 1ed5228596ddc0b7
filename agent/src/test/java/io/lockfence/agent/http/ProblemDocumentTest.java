/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Refusal;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ProblemDocumentTest {
    private static JsonNode body(Answer answer) {
        return JsonMapper.shared().readTree(answer.body());
    }

    @ParameterizedTest
    @CsvSource({
        "STALE, 412, stale, LF001, 0",
        "EXPIRED, 412, expired, LF002, 0",
        "UNLEASED, 428, unleased, LF003, 0",
        "UNKNOWN, 503, unknown, LF004, 1",
        "DUPLICATE_TOKEN, 409, duplicate-token, LF005, 0",
        "OTHER_LOCK, 500, other-lock, LF006, 0",
        "CLAIM_LOST, 412, claim-lost, LF007, 0",
        "UNGUARDABLE, 500, unguardable, LF008, 0",
    })
    void eachRefusalHasItsAnswer(Refusal refusal, int status, String type, String state, int retryAfter) {
        Answer answer = ProblemDocument.of(refusal, "orders/42", "what to do");
        JsonNode body = body(answer);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.refusal()).isEqualTo(refusal);
        assertThat(answer.retryAfter()).isEqualTo(retryAfter);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        assertThat(answer.title()).matches("[ -~]+");
        assertThat(body.propertyNames()).containsExactly("type", "title", "status", "detail", "refusal", "resource");
        assertThat(body.get("type").asString()).isEqualTo("urn:lockfence:refusal:" + type);
        assertThat(body.get("title").asString()).isEqualTo(answer.title());
        assertThat(body.get("status").asInt()).isEqualTo(status);
        assertThat(body.get("detail").asString()).isEqualTo("what to do");
        assertThat(body.get("refusal").asString()).isEqualTo(state);
        assertThat(body.get("resource").asString()).isEqualTo("orders/42");
    }

    @Test
    void noTwoRefusalsLookTheSame() {
        Set<String> titles = new HashSet<>();
        for (Refusal refusal : Refusal.values()) {
            titles.add(ProblemDocument.of(refusal, null, "").title());
        }
        assertThat(titles).hasSameSizeAs(Refusal.values());
    }

    @Test
    void aHeaderThatIsNotReadOrNotBelievedHasAnAnswerWithoutRefusal() {
        Answer malformed = ProblemDocument.malformed("at character 1");
        Answer untrusted = ProblemDocument.untrusted("not signed");

        assertThat(malformed.status()).isEqualTo(400);
        assertThat(untrusted.status()).isEqualTo(403);
        assertThat(malformed.refusal()).isNull();
        assertThat(body(malformed).propertyNames()).containsExactly("type", "title", "status", "detail");
        assertThat(body(malformed).get("type").asString()).isEqualTo("urn:lockfence:header:malformed");
        assertThat(body(untrusted).get("type").asString()).isEqualTo("urn:lockfence:header:untrusted");
    }

    @Test
    void anyTextIsReadBackFromTheDocument() {
        StringBuilder all = new StringBuilder("aufträge/😀\u2028");
        for (char c = 0; c < 0x100; c++) {
            all.append(c);
        }

        JsonNode body = body(ProblemDocument.of(Refusal.STALE, all.toString(), all + "\n"));

        assertThat(body.get("resource").asString()).isEqualTo(all.toString());
        assertThat(body.get("detail").asString()).isEqualTo(all + "\n");
    }

    @Test
    void halvesOfSurrogatePairsDoNotBreakTheDocument() {
        assertThat(body(ProblemDocument.of(Refusal.STALE, "a\ud83d", "\ude00b"))
                        .get("resource")
                        .asString())
                .startsWith("a");
    }
}
