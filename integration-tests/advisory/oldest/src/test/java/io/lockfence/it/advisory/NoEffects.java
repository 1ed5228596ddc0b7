/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.advisory;

import io.lockfence.bootstrap.Effects;
import io.lockfence.bootstrap.Lease;
import io.lockfence.bootstrap.Session;
import java.util.Properties;

/** No database is protected: these tests are about locks alone. */
final class NoEffects implements Effects {
    @Override
    public void opened(Session session, Object driver, String url, Properties info) {}

    @Override
    public boolean concerned(Session session) {
        return false;
    }

    @Override
    public boolean sending(Session session, String[] sql, boolean alone) {
        return false;
    }

    @Override
    public boolean sending(Session session, String sql, boolean alone) {
        return false;
    }

    @Override
    public void sent(Session session, boolean opened, Throwable thrown) {}

    @Override
    public boolean bound(Session session) {
        return false;
    }

    @Override
    public boolean refusesUnknown() {
        return false;
    }

    @Override
    public void fetching(Session session, Lease[] openedUnder) {}

    @Override
    public void committing(Session session) {}

    @Override
    public void rolledBack(Session session) {}

    @Override
    public void abandoned(Session session) {}

    @Override
    public void closed(Session session) {}
}
