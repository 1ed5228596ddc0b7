/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http;

/** A server of one library, in one version and style. Made by its constructor without parameters; started once. */
@SuppressWarnings("try") // What close() throws is the library's to say.
public interface Server extends AutoCloseable {
    /**
     * Starts it on a free port of the loopback address.
     *
     * @return the port
     */
    int start(Handler handler) throws Exception;

    @Override
    void close() throws Exception;
}
