/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.Point;
import java.util.List;
import java.util.Set;

/**
 * kiwiproject's consul-client and Ecwid's consul-api. Names and descriptors are the same in 1.2.0 and 1.12.1 of the first and in 1.4.0 and 1.4.5 of the second but for where a
 * line says otherwise. A service has one of them, seldom both: each has capabilities of its own.
 */
public final class ConsulLibrary implements Library {
    /** The rules' name. */
    static final String NAME = "consul";

    private static final String KIWI_THERE = "consul-client";
    private static final String KIWI_WRITES = "writes of consul-client";
    private static final String KIWI_DELETIONS = "deletions of consul-client";
    private static final String KIWI_TRANSACTIONS = "transactions of consul-client";
    private static final String KIWI_DESTRUCTIONS = "destructions of sessions by consul-client";
    private static final String KIWI_SESSIONS = "sessions of consul-client";
    private static final String ECWID_THERE = "consul-api";
    private static final String ECWID_WRITES = "writes of consul-api";
    private static final String ECWID_DELETIONS = "deletions of consul-api";
    private static final String ECWID_DESTRUCTIONS = "destructions of sessions by consul-api";
    private static final String ECWID_SESSIONS = "sessions of consul-api";

    private static final String KIWI = "org.kiwiproject.consul.";
    private static final String ECWID = "com.ecwid.consul.v1.";
    private static final String TEXT = "Ljava/lang/String;";
    private static final String PUT = "J" + "Lorg/kiwiproject/consul/option/PutOptions;";
    private static final String QUERY = "Lcom/ecwid/consul/v1/QueryParams;";
    private static final String PARAMETERS = "Lcom/ecwid/consul/v1/kv/model/PutParams;";
    private static final String NEW_SESSION = "Lcom/ecwid/consul/v1/session/model/NewSession;";
    /** With a token for the session from 1.4.2 on, which the others call. */
    private static final String BY_ID = "(" + TEXT + QUERY + TEXT + ")|(" + TEXT + QUERY + ")";

    private static final List<Point> POINTS = List.of(
            // Whichever client is there must have the rest.
            kv("<init>", "(", MadeAdvice.class, KIWI_THERE),
            ecwidKv("<init>", "(", MadeAdvice.class, ECWID_THERE),
            kv(
                    "putValue",
                    "(" + TEXT + TEXT + PUT + "Ljava/nio/charset/Charset;)",
                    KiwiAdvice.Write.class,
                    KIWI_WRITES),
            kv("putValue", "(" + TEXT + "[B" + PUT + ")", KiwiAdvice.Write.class, KIWI_WRITES),
            kv(
                    "deleteKey",
                    "(" + TEXT + "Lorg/kiwiproject/consul/option/DeleteOptions;)",
                    KiwiAdvice.Delete.class,
                    KIWI_DELETIONS),
            kv(
                    "performTransaction",
                    "(Lorg/kiwiproject/consul/option/TransactionOptions;[Lorg/kiwiproject/consul/model/kv/Operation;)",
                    KiwiAdvice.Transaction.class,
                    KIWI_TRANSACTIONS),
            session("destroySession", "(" + TEXT + TEXT + ")", KiwiAdvice.Destroy.class, KIWI_DESTRUCTIONS),
            session(
                    "createSession",
                    "(Lorg/kiwiproject/consul/model/session/Session;" + TEXT + ")",
                    KiwiAdvice.Create.class,
                    KIWI_SESSIONS),
            session("renewSession", "(" + TEXT + TEXT + ")", KiwiAdvice.Renew.class, KIWI_SESSIONS),
            ecwidKv(
                    "setKVValue",
                    "(" + TEXT + TEXT + TEXT + PARAMETERS + QUERY + ")",
                    EcwidAdvice.Write.class,
                    ECWID_WRITES),
            ecwidKv(
                    "setKVBinaryValue",
                    "(" + TEXT + "[B" + TEXT + PARAMETERS + QUERY + ")",
                    EcwidAdvice.Write.class,
                    ECWID_WRITES),
            ecwidKv("deleteKVValue", "(" + TEXT + TEXT + QUERY + ")", EcwidAdvice.Delete.class, ECWID_DELETIONS),
            ecwidKv("deleteKVValues", "(" + TEXT + TEXT + QUERY + ")", EcwidAdvice.DeleteAll.class, ECWID_DELETIONS),
            ecwidSession("sessionDestroy", BY_ID, EcwidAdvice.Destroy.class, ECWID_DESTRUCTIONS),
            ecwidSession(
                    "sessionCreate",
                    "(" + NEW_SESSION + QUERY + TEXT + ")|(" + NEW_SESSION + QUERY + ")",
                    EcwidAdvice.Create.class,
                    ECWID_SESSIONS),
            ecwidSession("renewSession", BY_ID, EcwidAdvice.Renew.class, ECWID_SESSIONS));

    private static Point kv(String method, String descriptor, Class<?> advice, String capability) {
        return new Point(KIWI + "KeyValueClient", method, descriptor, advice, capability);
    }

    private static Point session(String method, String descriptor, Class<?> advice, String capability) {
        return new Point(KIWI + "SessionClient", method, descriptor, advice, capability);
    }

    private static Point ecwidKv(String method, String descriptor, Class<?> advice, String capability) {
        return new Point(ECWID + "kv.KeyValueConsulClient", method, descriptor, advice, capability);
    }

    private static Point ecwidSession(String method, String descriptor, Class<?> advice, String capability) {
        return new Point(ECWID + "session.SessionConsulClient", method, descriptor, advice, capability);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Point> points() {
        return POINTS;
    }

    @Override
    public Level level(Set<String> woven) {
        boolean kiwi = woven.contains(KIWI_THERE);
        boolean ecwid = woven.contains(ECWID_THERE);
        if (!kiwi && !ecwid
                || kiwi && !woven.containsAll(Set.of(KIWI_WRITES, KIWI_DELETIONS, KIWI_TRANSACTIONS, KIWI_DESTRUCTIONS))
                || ecwid && !woven.containsAll(Set.of(ECWID_WRITES, ECWID_DELETIONS, ECWID_DESTRUCTIONS))) {
            return Level.INACTIVE;
        }
        boolean sessions = (!kiwi || woven.contains(KIWI_SESSIONS)) && (!ecwid || woven.contains(ECWID_SESSIONS));
        return sessions ? Level.FULL : Level.PROBING;
    }
}
