/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts, from what stock services print, the increments that they believe were committed, and the refusals that they were given. Thread
 * safe.
 */
public final class Tally {
    private static final Pattern LINE = Pattern.compile("^\\[([^]]+)] (.*)$");
    private static final Pattern FAILED = Pattern.compile("^failed ([^:]+): (\\S+) .*");
    private static final Pattern LOAD = Pattern.compile("^load increments=(\\d+) failures=(\\d+) .*");

    private final Map<String, Integer> written = new HashMap<>();
    private final List<String> refusals = new ArrayList<>();
    private final Set<String> states = new HashSet<>();
    private long increments;

    /** Takes one line of a service. */
    public synchronized void line(String service, String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return;
        }
        String thread = service + "/" + matcher.group(1);
        String words = matcher.group(2);
        Matcher failed = FAILED.matcher(words);
        Matcher load = LOAD.matcher(words);
        if (failed.matches()) {
            if (failed.group(2).startsWith("LF")) {
                refusals.add(service + ": " + words);
                states.add(failed.group(2));
            }
            if (failed.group(1).equals("commit") || failed.group(1).equals("increment")) {
                written.remove(thread);
            }
        } else if (load.matches()) {
            increments += Long.parseLong(load.group(1));
        } else if (words.startsWith("wrote ")) {
            if (words.endsWith(" by itself")) {
                increments++;
            } else {
                written.put(thread, 1);
            }
        } else if (words.startsWith("committed")) {
            Integer pending = written.remove(thread);
            increments += pending == null ? 0 : pending;
        } else if (words.equals("rolled-back") || words.equals("closed")) {
            written.remove(thread);
        }
    }

    /** A service said in another way that it committed so many. */
    public synchronized void committed(int count) {
        increments += count;
    }

    /** A service said in another way that it was refused: words that begin with the SQLState. */
    public synchronized void refused(String service, String step, String words) {
        refusals.add(service + ": failed " + step + ": " + words);
        states.add(words.substring(0, 5));
    }

    /** Increments whose commit the services saw succeed. */
    public synchronized long increments() {
        return increments;
    }

    /** The lines that say that the database access was refused, with the service's name in front. */
    public synchronized List<String> refusals() {
        return List.copyOf(refusals);
    }

    /** The SQLStates of the refusals. */
    public synchronized Set<String> states() {
        return Set.copyOf(states);
    }
}
