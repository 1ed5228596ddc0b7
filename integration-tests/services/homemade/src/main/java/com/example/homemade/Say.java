/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import java.sql.SQLException;

/** What the service prints: {@code [thread] words}, whole lines, at once. */
final class Say {
    private Say() {}

    static void line(String thread, String words) {
        synchronized (System.out) {
            System.out.println("[" + thread + "] " + words.replaceAll("\\s+", " "));
            System.out.flush();
        }
    }

    /** {@code failed write: LF001 message}; a dash where there is no SQLState. */
    static String failure(String step, Exception e) {
        return "failed " + step + ": " + sqlState(e) + " " + e.getClass().getSimpleName() + ": " + e.getMessage();
    }

    private static String sqlState(Throwable e) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return "-";
    }
}
