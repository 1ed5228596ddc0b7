/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.util.ArrayList;
import java.util.List;

/** One story of one client and one server, in one world: what is to happen, and what was seen of it. */
final class Play {
    /** What becomes of the first caller's request when its lease ends. */
    enum Story {
        /** It was built, and not sent: the caller stood still. */
        BUILT,
        /** It was sent, and is in the network. */
        HELD,
        /** It has come to the receiver, whose transaction waits for a row that another one has locked. */
        WRITING
    }

    final String client;
    final Story story;
    final int item;
    /** Every step and its answer. */
    final List<String> steps = new ArrayList<>();
    /** What stopped it before its end; null if nothing did. */
    Throwable broken;
    /** The test's machine was too slow for the lease; it says nothing then. */
    boolean tooSlow;
    /** What the next holder was told, and what the late one. */
    String next = "";

    String late = "";
    /** In the database, in the end. */
    long value = -1;

    Play(String client, Story story, int item) {
        this.client = client;
        this.story = story;
        this.item = item;
    }

    /** The name of the threads that play it, in both callers. */
    String thread() {
        return "play-" + item;
    }

    /** In a transaction, or in autocommit mode: by turns. */
    String path() {
        return (item % 2 == 0 ? "/stock/" : "/counts/") + item;
    }

    @Override
    public String toString() {
        return path() + " = " + value + (tooSlow ? " too slow" : "") + "\n  " + String.join("\n  ", steps);
    }
}
