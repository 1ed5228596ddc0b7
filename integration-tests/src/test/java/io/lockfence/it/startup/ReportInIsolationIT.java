/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.it.Build;
import io.lockfence.it.Jdk;
import io.lockfence.it.ServiceProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Flight Recorder, JMX and the summary, from classes that only the isolated loader of the real jar can see. */
class ReportInIsolationIT {
    @TempDir
    Path folder;

    static Stream<Jdk> jdks() {
        return Startup.jdks();
    }

    // The connector of a JVM that this test has started.
    @SuppressWarnings("BanJNDI")
    @ParameterizedTest
    @MethodSource("jdks")
    void flightRecorderJmxAndSummaryWorkFromTheIsolatedLoader(Jdk jdk) throws Exception {
        Path file = folder.resolve("isolated.jfr");
        try (ServiceProcess service = ServiceProcess.builder("isolated")
                .jdk(jdk)
                .jvm("-Xbootclasspath/a:" + Build.agentJar(), "-Djava.rmi.server.hostname=127.0.0.1")
                .main(Startup.testClasses(), IsolatedReport.class.getName())
                .args(Build.agentJar().toString(), file.toString())
                .start()) {
            String address = service.await("^jmx (\\S+)$").group(1);
            TreeMap<String, Object> attributes = new TreeMap<>();
            Set<String> types;
            try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
                MBeanServerConnection server = connector.getMBeanServerConnection();
                ObjectName name = new ObjectName("io.lockfence:type=Lockfence");
                MBeanAttributeInfo[] infos = server.getMBeanInfo(name).getAttributes();
                types = Stream.of(infos).map(MBeanAttributeInfo::getType).collect(java.util.stream.Collectors.toSet());
                String[] names =
                        Stream.of(infos).map(MBeanAttributeInfo::getName).toArray(String[]::new);
                for (Attribute attribute : server.getAttributes(name, names).asList()) {
                    attributes.put(attribute.getName(), attribute.getValue());
                }
                assertThat(attributes).hasSameSizeAs(infos);
            }
            service.send("");
            assertThat(service.awaitExit(Duration.ofSeconds(30)))
                    .as(service.output())
                    .isZero();

            assertThat(types).isSubsetOf("java.lang.String", "long", "javax.management.openmbean.TabularData");
            assertThat(attributes).containsEntry("LeasesAcquired", 2L).containsEntry("RefusalsTotal", 1L);
            assertThat(attributes.get("Version").toString()).matches("\\d+\\.\\d+\\.\\d+.*");
            List<RecordedEvent> events = RecordingFile.readAllEvents(file);
            assertThat(events.stream()
                            .map(event -> event.getEventType().getName())
                            .filter(name -> name.startsWith("io.lockfence.")))
                    .containsExactlyInAnyOrder("io.lockfence.LeaseAcquired", "io.lockfence.Refusal");
            assertThat(service.lines())
                    .anyMatch(line -> line.matches(
                            "lockfence: \\d.*, mode enforce, rules: lockfence.yaml \\(2 lock rules, 1 target\\);.*"))
                    .anyMatch(line -> line.startsWith("lockfence: Lockfence refused this write to orders-db (LF003"))
                    .anyMatch(line -> line.startsWith("lockfence: summary of "))
                    .contains("lockfence:   refused      1 unleased (LF003)");
        }
    }
}
