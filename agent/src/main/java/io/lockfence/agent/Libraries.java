/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import io.lockfence.instrumentation.Library;
import io.lockfence.instrumentation.apache4.Apache4Library;
import io.lockfence.instrumentation.apache5.Apache5Library;
import io.lockfence.instrumentation.consul.ConsulLibrary;
import io.lockfence.instrumentation.contextpropagation.ContextPropagationLibrary;
import io.lockfence.instrumentation.curator.CuratorLibrary;
import io.lockfence.instrumentation.etcd.EtcdLibrary;
import io.lockfence.instrumentation.executors.ExecutorsLibrary;
import io.lockfence.instrumentation.grpc.GrpcLibrary;
import io.lockfence.instrumentation.javahttp.JavaHttpLibrary;
import io.lockfence.instrumentation.jbossthreads.JBossThreadsLibrary;
import io.lockfence.instrumentation.jdkserver.JdkServerLibrary;
import io.lockfence.instrumentation.jetty.JettyLibrary;
import io.lockfence.instrumentation.jettyclient.JettyClientLibrary;
import io.lockfence.instrumentation.kotlin.CoroutinesLibrary;
import io.lockfence.instrumentation.okhttp.OkHttpLibrary;
import io.lockfence.instrumentation.postgresql.PostgresLibrary;
import io.lockfence.instrumentation.reactornetty.ReactorNettyLibrary;
import io.lockfence.instrumentation.redisson.RedissonLibrary;
import io.lockfence.instrumentation.springtasks.SpringTasksLibrary;
import io.lockfence.instrumentation.tomcat.TomcatLibrary;
import io.lockfence.instrumentation.undertow.UndertowLibrary;
import io.lockfence.instrumentation.urlconnection.UrlConnectionLibrary;
import java.util.List;

/** Every library that is woven. A new one is a package of its own and a line here. */
final class Libraries {
    static final List<Library> ALL = List.of(
            new RedissonLibrary(),
            new CuratorLibrary(),
            new EtcdLibrary(),
            new ConsulLibrary(),
            new PostgresLibrary(),
            new ExecutorsLibrary(),
            new TomcatLibrary(),
            new JettyLibrary(),
            new JdkServerLibrary(),
            new UndertowLibrary(),
            new JBossThreadsLibrary(),
            new JavaHttpLibrary(),
            new UrlConnectionLibrary(),
            new Apache4Library(),
            new Apache5Library(),
            new OkHttpLibrary(),
            new GrpcLibrary(),
            new JettyClientLibrary(),
            new ReactorNettyLibrary(),
            new SpringTasksLibrary(),
            new ContextPropagationLibrary(),
            new CoroutinesLibrary());

    private Libraries() {}
}
