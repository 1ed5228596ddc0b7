/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

/**
 * A whole answer to a request (RFC 9457).
 *
 * @param status of HTTP
 * @param refusal why; null if the request was malformed, or came from where none is trusted
 * @param title one line for people, the same for each refusal; ASCII
 * @param contentType of the body
 * @param body the problem document, in UTF-8; never changed
 * @param retryAfter seconds for {@code Retry-After}; 0 for none
 */
public record Answer(int status, Refusal refusal, String title, String contentType, byte[] body, int retryAfter) {}
