/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

/** Where a call goes. */
public enum Kind {
    DATABASE("database"),
    HTTP("HTTP"),
    MAIL("mail"),
    MESSAGE("message");

    private final String word;

    Kind(String word) {
        this.word = word;
    }

    String word() {
        return word;
    }

    /** Whether no fence of a database can take it back. */
    boolean thirdParty() {
        return this != DATABASE;
    }
}
