/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.consul;

/** What calls of Ecwid's client mean for locks. */
final class EcwidCalls {
    private EcwidCalls() {}

    static void written(Object client, Object entered, Object response, Throwable failure) throws Throwable {
        if (entered != null) {
            boolean confirmed = response != null && Boolean.TRUE.equals(Ecwid.answer(client, response));
            Acquiring.written(entered, confirmed, failure);
        }
    }

    static void created(Object client, Object wanted, long sentAt, Object response) throws Throwable {
        if (response != null && wanted != null) {
            Sessions.created((String) Ecwid.answer(client, response), sentAt, Ecwid.wantedTtl(client, wanted));
        }
    }

    static void renewed(Object client, String session, long sentAt, Object response, Throwable failure)
            throws Throwable {
        if (failure != null) {
            Sessions.failed(session, failure);
            return;
        }
        Object said = response == null ? null : Ecwid.answer(client, response);
        if (session != null && said != null) {
            Sessions.renewed(session, sentAt, Ecwid.ttl(client, said));
        }
    }
}
