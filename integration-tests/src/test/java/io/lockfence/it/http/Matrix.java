/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.util.List;

/** The clients and servers, as {@code com.example.http.Adapters} names them: adapter, and the library's version. */
final class Matrix {
    static final List<String> CLIENTS =
            List.of("JdkSync", "JdkAsync", "UrlConnection", "OkHttpSync@okhttp-5.5.1", "OkHttpAsync@okhttp-5.5.1");

    static final List<String> SERVERS = List.of("JdkServer");

    private Matrix() {}
}
