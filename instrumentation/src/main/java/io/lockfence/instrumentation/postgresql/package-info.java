/**
 * PostgreSQL's JDBC driver, pgjdbc 42.2.29 to 42.7: every statement passes the executor of its connection, below every public API
 * (large objects, COPY, updatable result sets, XA and COMMIT as text included), and that is where it is woven.
 */
package io.lockfence.instrumentation.postgresql;
