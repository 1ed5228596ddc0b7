/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http;

/** What the services print: {@code [thread] words}, whole lines, at once. */
public final class Say {
    private Say() {}

    public static void line(String words) {
        synchronized (System.out) {
            System.out.println("[" + Thread.currentThread().getName() + "] " + words.replaceAll("\\s+", " "));
            System.out.flush();
        }
    }

    /** {@code failed put: IOException: message; caused by SQLException: message}. */
    public static String failure(String step, Throwable e) {
        StringBuilder text =
                new StringBuilder("failed " + step + ": " + e.getClass().getSimpleName() + ": " + e.getMessage());
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            text.append("; caused by ")
                    .append(cause.getClass().getSimpleName())
                    .append(": ")
                    .append(cause.getMessage());
        }
        return text.toString();
    }
}
