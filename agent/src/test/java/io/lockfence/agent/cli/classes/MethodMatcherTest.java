/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.classes;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.cli.Compiled;
import io.lockfence.agent.cli.classes.MethodMatch.How;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MethodMatcherTest {
    private static final String SOURCES = """
            //// acme/Plc.java
            package acme;
            public interface Plc { void send(byte[] data); default boolean ping() { return true; } }
            //// acme/SerialPlc.java
            package acme;
            public class SerialPlc implements Plc {
                public SerialPlc(String port) {}
                public void send(byte[] data) {}
                public void send(byte[] data, long timeout) {}
                public static SerialPlc open(String port, Object... options) { return new SerialPlc(port); }
                native void raw(int port);
                void list(java.util.List<String> items) {}
                public static class Options { void apply() {} }
            }
            //// acme/FastPlc.java
            package acme;
            public class FastPlc extends SerialPlc { public FastPlc() { super(""); } @Override public void send(byte[] data) {} }
            //// acme/Base.java
            package acme;
            public class Base { public void send(byte[] data) {} public final void stop() {} private void hide() {} }
            //// acme/Mixed.java
            package acme;
            public class Mixed extends Base implements Plc { }
            //// acme/Store.java
            package acme;
            public abstract class Store<T extends Number> {
                public abstract void put(T value, String key);
                public abstract void nobody(int n);
            }
            //// acme/LongStore.java
            package acme;
            public class LongStore extends Store<Long> { public void put(Long value, String key) {} public void nobody(int n) {} }
            //// acme/Lonely.java
            package acme;
            public interface Lonely { void work(); }
            """;

    private static MethodMatcher matcher;
    private static ClassIndex index;

    @BeforeAll
    static void read(@TempDir Path directory) throws Exception {
        index = ClassIndex.read(List.of(Compiled.classes(directory, List.of(), SOURCES)));
        matcher = new MethodMatcher(index);
    }

    private static MethodMatch match(String method, String... types) {
        int hash = method.indexOf('#');
        return matcher.match(
                MethodPattern.ofTypes(method.substring(0, hash), method.substring(hash + 1), List.of(types)));
    }

    private static List<String> found(MethodMatch match) {
        return match.methods().stream().map(MethodMatch.Found::toString).toList();
    }

    @Test
    void anInterfaceMethodMeansEveryImplementationAndOverride() {
        MethodMatch match = match("acme.Plc#send", "byte[]");

        assertThat(found(match))
                .containsExactlyInAnyOrder(
                        "acme.SerialPlc#send(byte[])", "acme.FastPlc#send(byte[])", "acme.Base#send(byte[])");
        assertThat(match.methods()).allMatch(method -> method.how() == How.IMPLEMENTS);
        assertThat(match.near()).isEmpty();
    }

    @Test
    void aClassMethodMeansItselfAndItsOverrides() {
        MethodMatch match = match("acme.SerialPlc#send", "byte[]");

        assertThat(found(match)).containsExactly("acme.SerialPlc#send(byte[])", "acme.FastPlc#send(byte[])");
        assertThat(match.methods().get(0).how()).isEqualTo(How.DECLARED);
    }

    @Test
    void overloadsAreToldApart() {
        assertThat(found(match("acme.SerialPlc#send", "byte[]", "long")))
                .containsExactly("acme.SerialPlc#send(byte[],long)");
    }

    @Test
    void inheritedAndDefaultMethodsAreFoundWhereTheirCodeIs() {
        assertThat(match("acme.Mixed#stop").methods())
                .singleElement()
                .satisfies(method -> assertThat(method).hasToString("acme.Base#stop()"))
                .satisfies(method -> assertThat(method.how()).isEqualTo(How.INHERITED));
        assertThat(found(match("acme.Plc#ping"))).containsExactly("acme.Plc#ping()");
        assertThat(found(match("acme.SerialPlc#ping"))).containsExactly("acme.Plc#ping()");
    }

    @Test
    void varargsAreAnArrayHoweverTheyAreWritten() {
        assertThat(found(match("acme.SerialPlc#open", "java.lang.String", "java.lang.Object...")))
                .isEqualTo(found(match("acme.SerialPlc#open", "java.lang.String", "java.lang.Object[]")))
                .hasSize(1);
    }

    @Test
    void genericMethodsAreFoundByTheirErasureAndThroughTheBridgeInTheImplementation() {
        assertThat(found(match("acme.Store#put", "java.lang.Number", "java.lang.String")))
                .containsExactly("acme.LongStore#put(java.lang.Long,java.lang.String)");
        assertThat(found(match("acme.LongStore#put", "java.lang.Long", "java.lang.String")))
                .containsExactly("acme.LongStore#put(java.lang.Long,java.lang.String)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            acme.SerialPlc#<init>   | java.lang.String      | a constructor cannot be fenced
            acme.SerialPlc#SerialPlc| java.lang.String      | a constructor cannot be fenced
            acme.SerialPlc#send     | java.lang.String      | parameter 1 is byte[], the rule says java.lang.String
            acme.SerialPlc#send     | byte                  | parameter 1 is byte[], the rule says byte: an array
            acme.SerialPlc#send     | byte[],long,long      | has 2 parameters, the rule says 3
            acme.SerialPlc#open     | String,java.lang.Object[] | types are written with their package
            acme.SerialPlc#send     | byte[],java.lang.Long | the primitive type is another type
            acme.SerialPlc#sned     | byte[]                | is called 'send', not 'sned'
            acme.SerialPlc#Send     | byte[]                | is called 'send', not 'Send'
            acme.SerialPlc#raw      | int                   | is native
            acme.SerialPlc#list     | java.util.List<java.lang.String> | type arguments are not part of a method
            acme.Store#put          | java.lang.Long,java.lang.String | the type variable T, which class files erase to java.lang.Number
            acme.Lonely#work        |                       | is abstract, and no class in the jars implements it
            acme.lib.SerialPlc#send | byte[]                | there is no class acme.lib.SerialPlc in the jars, but this one
            acme.SerialPcl#send     | byte[]                | there is no class acme.SerialPcl in the jars, but this one
            acme.SerialPlc.Options#apply |                  | a class inside a class is written with '$'
            """)
    void whatIsNearSaysWhyItDoesNotMatch(String method, String types, String why) {
        MethodMatch match = match(method, types == null ? new String[0] : types.split(","));

        assertThat(match.found()).isFalse();
        assertThat(match.near()).anySatisfy(near -> assertThat(near.toString()).contains(why));
    }

    @Test
    void whatIsNowhereNearHasNoNeighbours() {
        assertThat(match("org.nowhere.Different#entirely").near()).isEmpty();
        assertThat(match("acme.SerialPlc#somethingElse").near()).isEmpty();
    }

    @Test
    void aPointMeansWhatItsClassDeclaresAndTheFirstFormThatIsThere() {
        assertThat(found(matcher.match(MethodPattern.ofDescriptor("acme.SerialPlc", "send", "([BI|([BJ)V|([B)V"))))
                .containsExactly("acme.SerialPlc#send(byte[],long)");
        assertThat(matcher.match(MethodPattern.ofDescriptor("acme.Mixed", "send", "([B)"))
                        .found())
                .isFalse();
        assertThat(found(matcher.match(MethodPattern.ofDescriptor("acme.SerialPlc", "<init>", "("))))
                .hasSize(1);
    }

    @Test
    void theHierarchyReachesBeyondTheJars() {
        assertThat(index.isA("acme.FastPlc", "acme.Plc")).isTrue();
        assertThat(index.supertypesOf("acme.FastPlc")).contains("java.lang.Object");
        assertThat(index.subtypesOf("acme.Plc"))
                .containsExactlyInAnyOrder("acme.SerialPlc", "acme.FastPlc", "acme.Mixed");
    }
}
