/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import java.util.concurrent.Callable;

/** What made a future fail, without the wrapping of the future. */
final class Unwrapped {
    private Unwrapped() {}

    /** What an asynchronous method returns; it must not throw. */
    static <T> T called(Callable<T> method) {
        try {
            return method.call();
        } catch (Exception e) {
            throw new AssertionError("thrown by the call itself, which was to return a future", e);
        }
    }

    static Exception of(Exception wrapping) {
        if (wrapping.getCause() instanceof Error error) {
            throw error;
        }
        return wrapping.getCause() instanceof Exception cause ? cause : wrapping;
    }
}
