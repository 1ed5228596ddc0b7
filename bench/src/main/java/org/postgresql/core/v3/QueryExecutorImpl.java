/* SPDX-License-Identifier: Apache-2.0 */
package org.postgresql.core.v3;

import org.postgresql.core.ParameterList;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutorBase;
import org.postgresql.core.ResultCursor;
import org.postgresql.core.ResultHandler;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.BatchResultHandler;

/**
 * Of the stub driver: the methods of pgjdbc 42.7 that are woven, which do next to nothing. The first statement opens a transaction that
 * never ends, so that statements cost what they cost within one.
 */
public class QueryExecutorImpl extends QueryExecutorBase {
    /** Kept so that the bare call is not optimised away. */
    public long statements;

    private TransactionState state = TransactionState.IDLE;

    public void execute(
            Query query,
            ParameterList parameters,
            ResultHandler handler,
            int maxRows,
            int fetchSize,
            int flags,
            boolean adaptiveFetch) {
        statements++;
        state = TransactionState.OPEN;
    }

    public void execute(
            Query[] queries,
            ParameterList[] parameters,
            BatchResultHandler handler,
            int maxRows,
            int fetchSize,
            int flags,
            boolean adaptiveFetch) {
        statements += queries.length;
    }

    public byte[] fastpathCall(int function, ParameterList parameters, boolean suppressBegin) {
        return null;
    }

    public CopyOperationImpl startCopy(String sql, boolean suppressBegin) {
        return null;
    }

    public void readFromCopy(CopyOperationImpl operation, boolean block) {}

    public long endCopy(CopyOperationImpl operation) {
        return 0;
    }

    public void cancelCopy(CopyOperationImpl operation) {}

    public void fetch(ResultCursor cursor, ResultHandler handler, int fetchSize, boolean adaptiveFetch) {}

    @Override
    public TransactionState getTransactionState() {
        return state;
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public int getBackendPID() {
        return 1;
    }
}
