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

    /**
     * From now on, whatever the library calls back runs this first, on the thread that the library calls on.
     *
     * @return whether it calls anything back; if not, nothing is run
     */
    default boolean calledBack(Runnable each) {
        return false;
    }

    /** What the handlers of the last call that failed were told, beside what its future says; null if that is not known. */
    default Exception toldOfFailure() {
        return null;
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
