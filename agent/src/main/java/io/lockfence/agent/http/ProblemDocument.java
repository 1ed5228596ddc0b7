/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import io.lockfence.bootstrap.Answer;
import io.lockfence.bootstrap.Refusal;
import java.nio.charset.StandardCharsets;

/**
 * Answers to requests that are refused, as problem documents (RFC 9457): {@code type}, {@code title}, {@code status}, {@code detail}, and of ours {@code refusal}
 * (the SQLState of the same refusal) and {@code resource}.
 */
public final class ProblemDocument {
    /** Of every answer. */
    public static final String CONTENT_TYPE = "application/problem+json";

    private static final String TYPE = "urn:lockfence:";

    private ProblemDocument() {}

    /**
     * The answer to a request whose effect was refused.
     *
     * @param resource null if there is none
     * @param detail what happened and what to do
     */
    public static Answer of(Refusal refusal, String resource, String detail) {
        String type = "refusal:"
                + switch (refusal) {
                    case STALE -> "stale";
                    case EXPIRED -> "expired";
                    case UNLEASED -> "unleased";
                    case UNKNOWN -> "unknown";
                    case DUPLICATE_TOKEN -> "duplicate-token";
                    case OTHER_LOCK -> "other-lock";
                    case CLAIM_LOST -> "claim-lost";
                    case UNGUARDABLE -> "unguardable";
                };
        String title = switch (refusal) {
            case STALE -> "A newer holder of the lock has been here";
            case EXPIRED -> "The lease has expired, or was lost";
            case UNLEASED -> "This request needs a fencing token";
            case UNKNOWN -> "It cannot be told whether the lease still holds";
            case DUPLICATE_TOKEN -> "Another lease has the same fencing token";
            case OTHER_LOCK -> "The resource belongs to another lock";
            case CLAIM_LOST -> "The database has lost the claim of the lease";
            case UNGUARDABLE -> "The access cannot be guarded";
        };
        return answer(status(refusal), refusal, type, title, resource, detail);
    }

    /** What the receiver answers: where a lease that came with a request has expired here, a precondition of the request has failed. */
    private static int status(Refusal refusal) {
        return refusal == Refusal.EXPIRED ? 412 : refusal.httpStatus();
    }

    /** The answer to a request whose fencing header cannot be read. */
    public static Answer malformed(String detail) {
        return answer(400, null, "header:malformed", "The fencing header is malformed", null, detail);
    }

    /** The answer to a request whose fencing header is not believed. */
    public static Answer untrusted(String detail) {
        return answer(403, null, "header:untrusted", "The fencing header is not trusted", null, detail);
    }

    private static Answer answer(
            int status, Refusal refusal, String type, String title, String resource, String detail) {
        StringBuilder json = new StringBuilder("{");
        member(json, "type", TYPE + type).append(',');
        member(json, "title", title).append(",\"status\":").append(status).append(',');
        member(json, "detail", detail);
        if (refusal != null) {
            member(json.append(','), "refusal", refusal.sqlState());
        }
        if (resource != null) {
            member(json.append(','), "resource", resource);
        }
        byte[] body = json.append('}').toString().getBytes(StandardCharsets.UTF_8);
        return new Answer(status, refusal, title, CONTENT_TYPE, body, status == 503 ? 1 : 0);
    }

    private static StringBuilder member(StringBuilder json, String name, String value) {
        return string(string(json, name).append(':'), value);
    }

    private static StringBuilder string(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (pair) {
                json.append(c).append(text.charAt(++i));
            } else if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"');
    }
}
