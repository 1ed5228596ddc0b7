/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation;

import java.util.List;

/** A request that has come in, as the integration of one server reads it from that server's own objects. Used during its admission only. */
public interface Arriving {
    /** In capitals, as it came. */
    String method() throws Throwable;

    /**
     * The path by which the server itself chooses who handles the request, with the path of the application in front; null if the server found none, and
     * answers by itself.
     */
    String path() throws Throwable;

    /** The path as it came: encoded, with its parameters, without the query; null where the server does not keep it. */
    String rawPath() throws Throwable;

    /** Paths as it came, where something of the service has made another of it before the server chose. */
    default List<String> earlierPaths() throws Throwable {
        return List.of();
    }

    /** The values of every field line with this name. */
    List<String> header(String name) throws Throwable;

    /** The address of the peer of the connection, in numbers; null if it has none. */
    String peer() throws Throwable;
}
