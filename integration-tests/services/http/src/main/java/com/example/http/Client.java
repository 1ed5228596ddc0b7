/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http;

/**
 * A client of one library, in one version and style. Made by its constructor without parameters; used by many threads. Gives up after a minute or later, and does not
 * repeat requests of its own accord beyond what its library does unasked.
 */
@SuppressWarnings("try") // What close() throws is the library's to say.
public interface Client extends AutoCloseable {
    /**
     * Sends a request and waits for the whole answer. Where the style is asynchronous, the caller waits for the future; what completed it exceptionally is thrown as it
     * came, without {@code ExecutionException} or {@code CompletionException} around it.
     *
     * @param body text, sent as UTF-8; null for none
     */
    Reply send(String method, String url, String body) throws Exception;

    /** Makes the request object of the library, where it has one, to be sent later, maybe more than once. */
    default Call build(String method, String url, String body) throws Exception {
        return () -> send(method, url, body);
    }

    /** A request that was built. */
    @FunctionalInterface
    interface Call {
        /** Sends it, and waits for the whole answer. */
        Reply send() throws Exception;
    }

    @Override
    void close() throws Exception;
}
