/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http;

/** What the service does with a request; called on the server's threads, by many at once. */
@FunctionalInterface
public interface Handler {
    /**
     * Handles one.
     *
     * @return the answer; the server sends status, headers and body of it
     * @throws Exception which the server is left to answer as it does, with 500
     */
    Reply handle(Request request) throws Exception;
}
