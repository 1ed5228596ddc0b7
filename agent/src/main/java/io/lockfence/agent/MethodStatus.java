/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.agent.fence.Transactions;
import io.lockfence.agent.report.Report;
import io.lockfence.instrumentation.Library.Level;
import io.lockfence.instrumentation.methods.MethodPoint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which of the methods that rules name were found, as their classes are loaded. A rule of which a class was loaded without the method, or with one that its
 * paths do not fit, fences nothing: in enforce mode what its locks protect is refused, and the report says why. Calls of a fenced method that was not woven cannot be refused; those
 * of the same target's other methods are, under any lease that protects it.
 */
final class MethodStatus {
    private final Report report;
    private final Transactions transactions;
    /** What is wrong, by rule and method. */
    private final Map<String, Map<String, String>> wrong = new LinkedHashMap<>();

    MethodStatus(Report report, Transactions transactions) {
        this.report = report;
        this.transactions = transactions;
    }

    /** The method was woven into a class, or is abstract there. */
    synchronized void woven(MethodPoint point) {
        String rule = point.rule();
        if (!wrong.containsKey(rule)) {
            report.library(rule, null, Level.FULL, null);
        }
    }

    /** The class was loaded, and the method cannot be woven there. */
    synchronized void notWoven(MethodPoint point, String className, String why) {
        String rule = point.rule();
        Map<String, String> ofRule = wrong.computeIfAbsent(rule, name -> new LinkedHashMap<>());
        ofRule.put(className + "#" + point.method() + point.parameters(), why);
        List<String> all = new ArrayList<>(ofRule.values());
        String words = String.join("; ", all);
        report.library(rule, null, Level.INACTIVE, words);
        if (point.role() == MethodPoint.Role.TARGET) {
            transactions.inactiveTarget(point.target(), words);
        } else {
            transactions.inactive(rule, words);
        }
    }
}
