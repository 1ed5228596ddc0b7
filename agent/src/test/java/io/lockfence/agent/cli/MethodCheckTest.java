/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Help.Ansi;

/** What {@code check --jar} says of rules that name methods. The weaver itself is asked, so that what passes here is woven. */
class MethodCheckTest {
    @TempDir
    private static Path compiled;

    private static Path classes;

    @TempDir
    private Path directory;

    private record Ended(int code, String out) {}

    @BeforeAll
    static void compile() throws Exception {
        classes = Compiled.classes(compiled, List.of(), Compiled.fixture("homemade.txt"));
    }

    private Ended check(String... rule) throws Exception {
        Path rules = Files.writeString(
                directory.resolve("rules.yaml"),
                "mode: enforce\nlocks:\n  - name: own\n    resource: \"own/{arg0}\"\n    " + String.join("\n    ", rule)
                        + "\n");
        StringWriter out = new StringWriter();
        int code = Main.run(
                Ansi.OFF,
                new PrintWriter(out),
                new PrintWriter(out),
                "check",
                rules.toString(),
                "--jar",
                classes.toString());
        // No database is among these classes, which is an error of its own.
        return new Ended(code, out.toString().replaceAll("(?s).* classes:\n|  target .*", ""));
    }

    @Test
    void eachMethodIsShownWithWhatItMatches() throws Exception {
        Ended ended = check(
                "acquire: shop.LockClient#acquire(java.lang.String,java.time.Duration)",
                "lease: arg1",
                "token: result.number.value",
                "renew: shop.LockClient#extend(java.lang.String,java.time.Duration)",
                "release: shop.LockClient#release(java.lang.String)");

        assertThat(ended.out()).isEqualTo("""
                  lock own: every method is found
                    acquire shop.LockClient#acquire(java.lang.String,java.time.Duration): 2 methods
                      shop.RedisClient#acquire(java.lang.String,java.time.Duration)
                      shop.RowClient#acquire(java.lang.String,java.time.Duration)
                    renew shop.LockClient#extend(java.lang.String,java.time.Duration): 2 methods
                      shop.RedisClient#extend(java.lang.String,java.time.Duration)
                      shop.FastRowClient#extend(java.lang.String,java.time.Duration)
                    release shop.LockClient#release(java.lang.String): 2 methods
                      shop.RedisClient#release(java.lang.String)
                      shop.FastRowClient#release(java.lang.String)
                """);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            shop.Locks#lock(java.lang.String,java.time.Duration)     | arg1      | shop.Locks#lock(java.lang.String,java.time.Duration)
            shop.Locks#lock(java.lang.String...)                     | 5s        | shop.Locks#lock(java.lang.String[])
            shop.Locks#lockStatic(java.lang.String,long,java.util.concurrent.TimeUnit) | arg1 arg2 | shop.Locks#lockStatic(java.lang.String,long,java.util.concurrent.TimeUnit)
            shop.Locks$Nested#take(java.lang.String)                 | 5s        | shop.Locks$Nested#take(java.lang.String)
            shop.Generic#take(java.lang.CharSequence)                | 5s        | shop.GenericOfString#take(java.lang.String)
            shop.LockClient#tryOnce(java.lang.String)                | 5s        | shop.LockClient#tryOnce(java.lang.String)
            """)
    void whatIsWovenIsFound(String acquire, String lease, String woven) throws Exception {
        Ended ended = check("acquire: " + acquire, "lease: " + lease);

        assertThat(ended.out())
                .contains("lock own: every method is found", "1 method\n      " + woven + "\n")
                .doesNotContain("wrong", "nearly");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            shop.Lock#lock(java.lang.String)              | 5s           | nearly: shop.Locks: there is no class shop.Lock in the jars, but this one
            shop.Locks.Nested#take(java.lang.String)      | 5s           | nearly: shop.Locks$Nested: a class inside a class is written with '$'
            com.acme.Elsewhere#lock(java.lang.String)     | 5s           | matches nothing: its class is not in the jars
            shop.Locks#lokc(java.lang.String)             | 5s           | nearly: shop.Locks#lock(java.lang.String,java.time.Duration): is called 'lock', not 'lokc'
            shop.Locks#forceUnlock(java.lang.String)      | 5s           | wrong: there is no method shop.Locks#forceUnlock(java.lang.String); methods with its parameters are forced, lockNative, rows, unlock
            shop.Locks#lock(java.lang.String)             | 5s           | nearly: shop.Locks#lock(java.lang.String[]): parameter 1 is java.lang.String[], the rule says java.lang.String: an array, or the last parameter with '...'
            shop.Generic#take(java.lang.Object)           | 5s           | nearly: shop.Generic#take(java.lang.CharSequence): parameter 1 is java.lang.CharSequence, the rule says java.lang.Object: it is the type variable K
            shop.MoreLocks#unlock(java.lang.String)       | 5s           | wrong: there is no method shop.MoreLocks#unlock(java.lang.String), it is inherited: name shop.Locks#unlock(java.lang.String)
            shop.Locks#lockNative(java.lang.String)       | 5s           | wrong: shop.Locks#lockNative(java.lang.String) is native and cannot be woven
            shop.Locks#rows(java.lang.String)             | 5s           | wrong: the rule does not fit shop.Locks#rows(java.lang.String): its result is a number
            shop.Locks#forced(java.lang.String)           | 5s           | wrong: the rule does not fit shop.Locks#forced(java.lang.String): its result, void, does not tell whether the lock was taken
            shop.Locks#lock(java.lang.String,java.time.Duration) | arg1.millis | wrong: the rule does not fit shop.Locks#lock(java.lang.String,java.time.Duration): its lease arg1.millis: arg1 is a java.time.Duration, which has no
            shop.LockClient#acquire(java.lang.String,java.time.Duration) | result.number.text ms | its lease result.number.text is a java.lang.String, expected a number in front of its unit
            shop.Proxied#take(java.lang.String)           | 5s           | nearly: shop.Proxied#take(java.lang.String): is abstract, and no class in the jars implements it
            """)
    void whatIsNotWovenFailsAndIsExplained(String acquire, String lease, String why) throws Exception {
        Ended ended = check("acquire: " + acquire, "lease: " + lease);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out()).contains("lock own: what it should fence would be refused", why);
    }
}
