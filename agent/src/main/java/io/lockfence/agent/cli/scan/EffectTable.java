/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** The calls that read or write outside the process, and what else bounds a lock: transactions, timeouts, other threads. */
final class EffectTable {
    /**
     * @param owners binary names; subtypes are meant too
     * @param names of the methods; a trailing {@code *} stands for any ending
     * @param title for people
     */
    record Effect(Set<String> owners, Set<String> names, Kind kind, Access access, String title) {
        boolean names(String method) {
            return isOneOf(method, names);
        }
    }

    /** @param names a trailing {@code *} stands for any ending */
    static boolean isOneOf(String method, Set<String> names) {
        for (String name : names) {
            if (name.endsWith("*") ? method.startsWith(name.substring(0, name.length() - 1)) : method.equals(name)) {
                return true;
            }
        }
        return false;
    }

    private static final Set<String> JPA_QUERIES = Set.of(
            "jakarta.persistence.Query",
            "jakarta.persistence.TypedQuery",
            "javax.persistence.Query",
            "javax.persistence.TypedQuery",
            "org.hibernate.query.Query");

    /** In order: of several that match a call, the first counts. */
    static final List<Effect> EFFECTS = List.of(
            effect(
                    Kind.DATABASE,
                    Access.WRITE,
                    "JDBC",
                    Set.of("java.sql.Statement", "java.sql.PreparedStatement", "java.sql.CallableStatement"),
                    "executeUpdate",
                    "executeLargeUpdate",
                    "executeBatch",
                    "executeLargeBatch"),
            effect(
                    Kind.DATABASE,
                    Access.DEPENDS,
                    "JDBC",
                    Set.of("java.sql.Statement", "java.sql.PreparedStatement", "java.sql.CallableStatement"),
                    "execute",
                    "executeQuery"),
            effect(
                    Kind.DATABASE,
                    Access.WRITE,
                    "JdbcTemplate",
                    Set.of(
                            "org.springframework.jdbc.core.JdbcOperations",
                            "org.springframework.jdbc.core.JdbcTemplate",
                            "org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations",
                            "org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate",
                            "org.springframework.jdbc.core.simple.JdbcClient$StatementSpec",
                            "org.springframework.jdbc.core.simple.SimpleJdbcInsertOperations",
                            "org.springframework.jdbc.core.simple.SimpleJdbcInsert"),
                    "update",
                    "batchUpdate",
                    "execute*"),
            effect(
                    Kind.DATABASE,
                    Access.READ,
                    "JdbcTemplate",
                    Set.of(
                            "org.springframework.jdbc.core.JdbcOperations",
                            "org.springframework.jdbc.core.JdbcTemplate",
                            "org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations",
                            "org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate"),
                    "query*"),
            effect(
                    Kind.DATABASE,
                    Access.WRITE,
                    "JPA EntityManager",
                    Set.of(
                            "jakarta.persistence.EntityManager",
                            "javax.persistence.EntityManager",
                            "org.hibernate.Session",
                            "org.hibernate.StatelessSession"),
                    "persist",
                    "merge",
                    "remove",
                    "flush",
                    "save*",
                    "update",
                    "delete",
                    "insert*",
                    "upsert*",
                    "replicate"),
            effect(
                    Kind.DATABASE,
                    Access.READ,
                    "JPA EntityManager",
                    Set.of(
                            "jakarta.persistence.EntityManager",
                            "javax.persistence.EntityManager",
                            "org.hibernate.Session"),
                    "find",
                    "getReference",
                    "refresh",
                    "get",
                    "load"),
            effect(Kind.DATABASE, Access.WRITE, "JPA query", JPA_QUERIES, "executeUpdate"),
            effect(
                    Kind.DATABASE,
                    Access.READ,
                    "JPA query",
                    JPA_QUERIES,
                    "getResultList",
                    "getSingleResult*",
                    "getResultStream",
                    "list",
                    "uniqueResult*"),
            effect(
                    Kind.DATABASE,
                    Access.WRITE,
                    "Spring Data repository",
                    springData(),
                    "save*",
                    "delete*",
                    "remove*",
                    "insert*",
                    "update*",
                    "flush"),
            effect(Kind.DATABASE, Access.READ, "Spring Data repository", springData(), "*"),
            effect(
                    Kind.DATABASE,
                    Access.WRITE,
                    "jOOQ",
                    Set.of("org.jooq.Query", "org.jooq.DSLContext", "org.jooq.UpdatableRecord"),
                    "execute*",
                    "store",
                    "insert",
                    "update",
                    "delete",
                    "batch*"),
            effect(
                    Kind.DATABASE,
                    Access.WRITE,
                    "MyBatis",
                    Set.of("org.apache.ibatis.session.SqlSession"),
                    "insert",
                    "update",
                    "delete"),
            effect(
                    Kind.DATABASE,
                    Access.WRITE,
                    "Jdbi",
                    Set.of(
                            "org.jdbi.v3.core.Handle",
                            "org.jdbi.v3.core.statement.Update",
                            "org.jdbi.v3.core.statement.Script",
                            "org.jdbi.v3.core.statement.PreparedBatch"),
                    "execute*"),
            effect(Kind.HTTP, Access.DEPENDS, "java.net.http", Set.of("java.net.http.HttpClient"), "send", "sendAsync"),
            effect(
                    Kind.HTTP,
                    Access.WRITE,
                    "HttpURLConnection",
                    Set.of("java.net.HttpURLConnection", "java.net.URLConnection", "javax.net.ssl.HttpsURLConnection"),
                    "getOutputStream"),
            effect(
                    Kind.HTTP,
                    Access.READ,
                    "HttpURLConnection",
                    Set.of("java.net.HttpURLConnection", "java.net.URLConnection", "javax.net.ssl.HttpsURLConnection"),
                    "getInputStream",
                    "getResponseCode"),
            effect(
                    Kind.HTTP,
                    Access.DEPENDS,
                    "Apache HttpClient",
                    Set.of(
                            "org.apache.http.client.HttpClient",
                            "org.apache.http.impl.client.CloseableHttpClient",
                            "org.apache.http.client.fluent.Request",
                            "org.apache.hc.client5.http.classic.HttpClient",
                            "org.apache.hc.client5.http.impl.classic.CloseableHttpClient",
                            "org.apache.hc.client5.http.fluent.Request"),
                    "execute*"),
            effect(Kind.HTTP, Access.DEPENDS, "OkHttp", Set.of("okhttp3.Call"), "execute", "enqueue"),
            effect(Kind.HTTP, Access.WRITE, "RestTemplate", restTemplate(), "post*", "put", "patch*", "delete"),
            effect(Kind.HTTP, Access.READ, "RestTemplate", restTemplate(), "get*", "head*", "options*"),
            effect(Kind.HTTP, Access.DEPENDS, "RestTemplate", restTemplate(), "exchange", "execute"),
            effect(
                    Kind.HTTP,
                    Access.DEPENDS,
                    "RestClient",
                    Set.of(
                            "org.springframework.web.client.RestClient$RequestHeadersSpec",
                            "org.springframework.web.client.RestClient$RequestBodySpec",
                            "org.springframework.web.client.RestClient$RequestBodyUriSpec"),
                    "retrieve",
                    "exchange*"),
            effect(
                    Kind.HTTP,
                    Access.DEPENDS,
                    "WebClient",
                    Set.of(
                            "org.springframework.web.reactive.function.client.WebClient$RequestHeadersSpec",
                            "org.springframework.web.reactive.function.client.WebClient$RequestBodySpec",
                            "org.springframework.web.reactive.function.client.WebClient$RequestBodyUriSpec"),
                    "retrieve",
                    "exchange*"),
            effect(Kind.HTTP, Access.WRITE, "JAX-RS client", jaxRs(), "post", "put", "delete", "patch"),
            effect(Kind.HTTP, Access.READ, "JAX-RS client", jaxRs(), "get", "head", "options"),
            effect(
                    Kind.MAIL,
                    Access.WRITE,
                    "mail",
                    Set.of(
                            "jakarta.mail.Transport",
                            "javax.mail.Transport",
                            "org.springframework.mail.MailSender",
                            "org.springframework.mail.javamail.JavaMailSender",
                            "org.springframework.mail.javamail.JavaMailSenderImpl",
                            "org.apache.commons.mail.Email",
                            "org.apache.commons.mail.SimpleEmail",
                            "org.apache.commons.mail.HtmlEmail"),
                    "send*"),
            effect(
                    Kind.MESSAGE,
                    Access.WRITE,
                    "Kafka",
                    Set.of(
                            "org.apache.kafka.clients.producer.Producer",
                            "org.apache.kafka.clients.producer.KafkaProducer",
                            "org.springframework.kafka.core.KafkaOperations",
                            "org.springframework.kafka.core.KafkaTemplate"),
                    "send*"),
            effect(
                    Kind.MESSAGE,
                    Access.WRITE,
                    "RabbitMQ",
                    Set.of(
                            "org.springframework.amqp.core.AmqpTemplate",
                            "org.springframework.amqp.rabbit.core.RabbitTemplate",
                            "com.rabbitmq.client.Channel"),
                    "send*",
                    "convertAndSend",
                    "basicPublish"),
            effect(
                    Kind.MESSAGE,
                    Access.WRITE,
                    "JMS",
                    Set.of(
                            "org.springframework.jms.core.JmsOperations",
                            "org.springframework.jms.core.JmsTemplate",
                            "jakarta.jms.MessageProducer",
                            "javax.jms.MessageProducer",
                            "jakarta.jms.JMSProducer",
                            "javax.jms.JMSProducer"),
                    "send",
                    "convertAndSend"));

    /** What a call does to the transaction of its thread. */
    enum Bound {
        /** From here on, what is sent is in a transaction. */
        MANUAL,
        BEGIN,
        COMMIT,
        END
    }

    /** A call that begins or ends a transaction. */
    record Boundary(String owner, String name, Bound bound) {}

    static final List<Boundary> BOUNDARIES = List.of(
            new Boundary("java.sql.Connection", "commit", Bound.COMMIT),
            new Boundary("java.sql.Connection", "rollback", Bound.END),
            new Boundary("java.sql.Connection", "close", Bound.END),
            new Boundary("org.springframework.transaction.PlatformTransactionManager", "getTransaction", Bound.BEGIN),
            new Boundary("org.springframework.transaction.PlatformTransactionManager", "commit", Bound.COMMIT),
            new Boundary("org.springframework.transaction.PlatformTransactionManager", "rollback", Bound.END),
            new Boundary("jakarta.persistence.EntityTransaction", "begin", Bound.BEGIN),
            new Boundary("jakarta.persistence.EntityTransaction", "commit", Bound.COMMIT),
            new Boundary("jakarta.persistence.EntityTransaction", "rollback", Bound.END),
            new Boundary("javax.persistence.EntityTransaction", "begin", Bound.BEGIN),
            new Boundary("javax.persistence.EntityTransaction", "commit", Bound.COMMIT),
            new Boundary("javax.persistence.EntityTransaction", "rollback", Bound.END),
            new Boundary("org.hibernate.SharedSessionContract", "beginTransaction", Bound.BEGIN),
            new Boundary("org.hibernate.Session", "beginTransaction", Bound.BEGIN),
            new Boundary("org.hibernate.Transaction", "begin", Bound.BEGIN),
            new Boundary("org.hibernate.Transaction", "commit", Bound.COMMIT),
            new Boundary("org.hibernate.Transaction", "rollback", Bound.END),
            new Boundary("jakarta.transaction.UserTransaction", "begin", Bound.BEGIN),
            new Boundary("jakarta.transaction.UserTransaction", "commit", Bound.COMMIT),
            new Boundary("jakarta.transaction.UserTransaction", "rollback", Bound.END),
            new Boundary("javax.transaction.UserTransaction", "begin", Bound.BEGIN),
            new Boundary("javax.transaction.UserTransaction", "commit", Bound.COMMIT),
            new Boundary("javax.transaction.UserTransaction", "rollback", Bound.END));

    /** What runs what it is given in a transaction of its own. */
    static final Map<String, Set<String>> TRANSACTION_TEMPLATES = Map.of(
            "org.springframework.transaction.support.TransactionOperations", Set.of("execute*"),
            "org.springframework.transaction.support.TransactionTemplate", Set.of("execute*"),
            "org.hibernate.SessionFactory", Set.of("inTransaction", "fromTransaction"),
            "jakarta.persistence.EntityManagerFactory", Set.of("runInTransaction", "callInTransaction"),
            "org.jooq.DSLContext", Set.of("transaction*"),
            "org.jdbi.v3.core.Jdbi", Set.of("inTransaction", "useTransaction"),
            "org.jdbi.v3.core.Handle", Set.of("inTransaction", "useTransaction"));

    /** What hands what it is given to another thread. */
    static final Set<String> EXECUTORS = Set.of(
            "java.util.concurrent.Executor",
            "java.util.concurrent.ExecutorService",
            "java.util.concurrent.ScheduledExecutorService",
            "java.util.concurrent.ThreadPoolExecutor",
            "java.util.concurrent.CompletableFuture",
            "java.util.concurrent.ForkJoinPool",
            "java.lang.Thread",
            "java.lang.Thread$Builder",
            "org.springframework.core.task.TaskExecutor",
            "org.springframework.core.task.AsyncTaskExecutor",
            "org.springframework.scheduling.TaskScheduler");

    /** In what a call has its time. */
    enum Time {
        MILLIS,
        SECONDS,
        /** A number and a {@code TimeUnit}. */
        UNIT,
        DURATION
    }

    /**
     * A call that says how long something may take.
     *
     * @param argument which one, from 0 without the receiver
     */
    record Timeout(String owner, String name, String descriptor, int argument, Time time, String title) {}

    static final List<Timeout> TIMEOUTS = List.of(
            new Timeout("java.sql.Statement", "setQueryTimeout", "", 0, Time.SECONDS, "query timeout"),
            new Timeout("java.sql.PreparedStatement", "setQueryTimeout", "", 0, Time.SECONDS, "query timeout"),
            new Timeout("java.net.http.HttpRequest$Builder", "timeout", "", 0, Time.DURATION, "request timeout"),
            new Timeout("java.net.HttpURLConnection", "setReadTimeout", "", 0, Time.MILLIS, "read timeout"),
            new Timeout("java.net.URLConnection", "setReadTimeout", "", 0, Time.MILLIS, "read timeout"),
            new Timeout("java.lang.Thread", "sleep", "(J)", 0, Time.MILLIS, "sleep"),
            new Timeout("java.util.concurrent.TimeUnit", "sleep", "", 0, Time.UNIT, "sleep"),
            new Timeout("java.util.concurrent.Future", "get", "(JLjava/util", 0, Time.UNIT, "wait for a future"),
            new Timeout(
                    "java.util.concurrent.CompletableFuture", "get", "(JLjava/util", 0, Time.UNIT, "wait for a future"),
            new Timeout(
                    "java.util.concurrent.CountDownLatch", "await", "(JLjava/util", 0, Time.UNIT, "wait for a latch"),
            new Timeout("okhttp3.OkHttpClient$Builder", "callTimeout", "(JLjava/util", 0, Time.UNIT, "call timeout"),
            new Timeout("okhttp3.OkHttpClient$Builder", "readTimeout", "(JLjava/util", 0, Time.UNIT, "read timeout"),
            new Timeout(
                    "org.springframework.http.client.SimpleClientHttpRequestFactory",
                    "setReadTimeout",
                    "(I)",
                    0,
                    Time.MILLIS,
                    "read timeout"),
            new Timeout(
                    "org.springframework.http.client.SimpleClientHttpRequestFactory",
                    "setReadTimeout",
                    "(Ljava/time",
                    0,
                    Time.DURATION,
                    "read timeout"),
            new Timeout(
                    "org.springframework.boot.web.client.RestTemplateBuilder",
                    "setReadTimeout",
                    "",
                    0,
                    Time.DURATION,
                    "read timeout"),
            new Timeout(
                    "org.springframework.boot.web.client.RestTemplateBuilder",
                    "readTimeout",
                    "",
                    0,
                    Time.DURATION,
                    "read timeout"),
            new Timeout(
                    "org.springframework.transaction.support.TransactionTemplate",
                    "setTimeout",
                    "",
                    0,
                    Time.SECONDS,
                    "transaction timeout"));

    private EffectTable() {}

    private static Effect effect(Kind kind, Access access, String title, Set<String> owners, String... names) {
        return new Effect(owners, Set.of(names), kind, access, title);
    }

    private static Set<String> springData() {
        return Set.of(
                "org.springframework.data.repository.Repository",
                "org.springframework.data.repository.CrudRepository",
                "org.springframework.data.repository.ListCrudRepository",
                "org.springframework.data.repository.PagingAndSortingRepository",
                "org.springframework.data.jpa.repository.JpaRepository");
    }

    private static Set<String> jaxRs() {
        return Set.of(
                "jakarta.ws.rs.client.Invocation$Builder",
                "jakarta.ws.rs.client.SyncInvoker",
                "jakarta.ws.rs.client.AsyncInvoker",
                "javax.ws.rs.client.Invocation$Builder",
                "javax.ws.rs.client.SyncInvoker",
                "javax.ws.rs.client.AsyncInvoker");
    }

    private static Set<String> restTemplate() {
        return Set.of("org.springframework.web.client.RestOperations", "org.springframework.web.client.RestTemplate");
    }
}
