/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

/** With an answer to challenges, and two calls at a time. */
public final class TightOkHttpAsync extends OkHttpAsync {
    public TightOkHttpAsync() {
        super(TightOkHttpSync.builder());
    }
}
