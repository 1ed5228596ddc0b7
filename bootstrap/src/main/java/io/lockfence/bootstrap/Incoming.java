/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.util.List;

/** A request that has come in, as the integration of a server shows it to the agent. Used on one thread, during one call. */
public interface Incoming {
    /** In capitals. */
    String method();

    /**
     * As the service's own routing sees it: decoded, without path parameters ({@code ;x=y}), dot segments resolved, without the query. Begins with a slash.
     * For gRPC, {@code /package.Service/Method}.
     */
    String path();

    /** The values of every field line with this name, as they came; not split at commas. Empty if there is none. */
    List<String> header(String name);

    /**
     * The address of the peer of the connection, in numbers ({@code 192.0.2.1}, {@code 2001:db8::1}); never taken from a header. Null if it has none,
     * as on a Unix domain socket.
     */
    String peer();
}
