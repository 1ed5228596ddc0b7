/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

/** What made a future fail, without the wrapping of the future. */
final class Unwrapped {
    private Unwrapped() {}

    static Exception of(Exception wrapping) {
        if (wrapping.getCause() instanceof Error error) {
            throw error;
        }
        return wrapping.getCause() instanceof Exception cause ? cause : wrapping;
    }
}
