/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What one text of SQL may do to advisory locks, told once for each text. It proves nothing: what is held, only the server says. It tells when the server is to be asked, and which
 * locks a call can be about, where their numbers stand in the text or are parameters of it.
 */
final class AdvisoryText {
    /** What a call does. */
    enum Does {
        LOCK,
        TRY,
        UNLOCK,
        UNLOCK_ALL
    }

    /**
     * One call.
     *
     * @param transaction whether the lock is one of the transaction
     * @param keys its one or two numbers; null if they cannot be read from the text
     */
    record Call(Does does, boolean transaction, boolean shared, List<Key> keys) {}

    /**
     * One number.
     *
     * @param parameter from 1 on; 0 if the text has the value
     */
    record Key(long value, int parameter) {}

    /** Of a text that has nothing to do with them. */
    static final AdvisoryText NONE = new AdvisoryText(List.of(), false, false, false);

    /** A service may make up texts without end. */
    private static final int KNOWN_TEXTS = 2_000;

    private static final Map<String, AdvisoryText> KNOWN = new ConcurrentHashMap<>();

    private final List<Call> calls;
    private final boolean discards;
    private final boolean endsTransaction;
    private final boolean plain;
    private final boolean locks;
    private final boolean unlocks;
    private final boolean ofSession;
    private final boolean ofTransaction;
    private final boolean shares;

    private AdvisoryText(List<Call> calls, boolean discards, boolean endsTransaction, boolean plain) {
        this.calls = calls;
        this.discards = discards;
        this.endsTransaction = endsTransaction;
        this.plain = plain;
        boolean lock = false;
        boolean unlock = false;
        boolean session = false;
        boolean transaction = false;
        boolean share = false;
        for (Call call : calls) {
            boolean takes = call.does == Does.LOCK || call.does == Does.TRY;
            lock |= takes && !call.shared;
            share |= takes && call.shared;
            unlock |= !takes;
            session |= takes && !call.shared && !call.transaction;
            transaction |= takes && !call.shared && call.transaction;
        }
        this.locks = lock;
        this.unlocks = unlock;
        this.ofSession = session;
        this.ofTransaction = transaction;
        this.shares = share;
    }

    static AdvisoryText of(String sql) {
        AdvisoryText known = KNOWN.get(sql);
        if (known == null) {
            known = scan(sql);
            if (KNOWN.size() >= KNOWN_TEXTS) {
                KNOWN.clear();
            }
            KNOWN.put(sql, known);
        }
        return known;
    }

    /** Several statements that are sent together. */
    static AdvisoryText of(List<String> several) {
        AdvisoryText all = NONE;
        for (String sql : several) {
            AdvisoryText each = of(sql);
            if (all == NONE) {
                all = each;
            } else if (each != NONE) {
                List<Call> calls = new ArrayList<>(all.calls);
                calls.addAll(each.calls);
                all = new AdvisoryText(
                        List.copyOf(calls),
                        all.discards || each.discards,
                        all.endsTransaction || each.endsTransaction,
                        false);
            }
        }
        return all == NONE || several.size() == 1
                ? all
                : new AdvisoryText(all.calls, all.discards, all.endsTransaction, false);
    }

    List<Call> calls() {
        return calls;
    }

    /** Whether it may take a lock that is fenced. */
    boolean locks() {
        return locks;
    }

    /** Whether it may take one that readers share. */
    boolean shares() {
        return shares;
    }

    /** Whether it may give back a lock of the session. */
    boolean unlocks() {
        return unlocks || discards;
    }

    /** Whether it is a DISCARD, which may give back all. */
    boolean discards() {
        return discards;
    }

    /** Whether what it takes is of the session. */
    boolean ofSession() {
        return ofSession;
    }

    /** Whether it takes locks of the transaction and no others. */
    boolean ofTransactionOnly() {
        return ofTransaction && !ofSession;
    }

    /** Whether it ends a transaction, or a part of one. */
    boolean endsTransaction() {
        return endsTransaction;
    }

    /** Whether it is a SELECT of one call and nothing else, so that its call is made if it succeeds. */
    boolean plain() {
        return plain;
    }

    /** Whether a call that waits is among its calls: one that has returned has its lock. */
    boolean waits() {
        for (Call call : calls) {
            if (call.does == Does.LOCK && !call.shared) {
                return true;
            }
        }
        return false;
    }

    static AdvisoryText scan(String sql) {
        boolean advisory = contains(sql, "advisory");
        String word = firstWord(sql);
        boolean discards = word.equals("discard");
        boolean ends = switch (word) {
            case "commit", "end", "rollback", "abort", "prepare" -> true;
            default -> false;
        };
        if (!advisory) {
            return discards || ends ? new AdvisoryText(List.of(), discards, ends, false) : NONE;
        }
        AdvisoryScan scan = new AdvisoryScan(sql);
        List<Call> calls = List.copyOf(scan.calls());
        if (calls.isEmpty() && !discards && !ends) {
            return NONE;
        }
        return new AdvisoryText(calls, discards, ends, scan.plain());
    }

    /** Ignoring case, and without a copy. */
    private static boolean contains(String text, String lowerCase) {
        int last = text.length() - lowerCase.length();
        for (int i = 0; i <= last; i++) {
            if ((text.charAt(i) | 0x20) == 'a' && text.regionMatches(true, i, lowerCase, 0, lowerCase.length())) {
                return true;
            }
        }
        return false;
    }

    private static String firstWord(String sql) {
        int start = AdvisoryScan.skip(sql, 0);
        int end = start;
        while (end < sql.length() && end - start < 10 && Character.isLetter(sql.charAt(end))) {
            end++;
        }
        return sql.substring(start, end).toLowerCase(Locale.ROOT);
    }
}
