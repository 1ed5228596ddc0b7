/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FencingTokenTest {
    private static final String LEASE = "7f3c0a1b2c3d4e5f60718293a4b5c6d7";
    private static final String WRITTEN =
            "\"orders/42\";lock=\"order:42\";token=\"1729\";gen=0;lease=\"" + LEASE + "\"";
    private static final FencingToken ORDER = new FencingToken("orders/42", "order:42", 1729, 0, LEASE, null);

    @Test
    void isWrittenAsTheDesignSays() {
        assertThat(FencingToken.write(List.of(ORDER))).isEqualTo(WRITTEN);
    }

    @Test
    void isReadBack() throws Exception {
        assertThat(FencingToken.parse(List.of(WRITTEN))).containsExactly(ORDER);
    }

    @Test
    void severalLeasesMayComeInOneLineOrInSeveral() throws Exception {
        FencingToken stock = new FencingToken("stock/7", "stock:7", Long.MAX_VALUE, Integer.MAX_VALUE, "a-1", null);
        String field = FencingToken.write(List.of(ORDER, stock));

        assertThat(FencingToken.parse(List.of(field))).containsExactly(ORDER, stock);
        assertThat(FencingToken.parse(List.of(FencingToken.write(List.of(ORDER)), FencingToken.write(List.of(stock)))))
                .containsExactly(ORDER, stock);
    }

    @Test
    void noFieldAndAnEmptyFieldCarryNoLease() throws Exception {
        assertThat(FencingToken.parse(List.of())).isEmpty();
        assertThat(FencingToken.parse(List.of(""))).isEmpty();
        assertThat(FencingToken.parse(List.of("  "))).isEmpty();
        assertThat(FencingToken.write(List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"aufträge/42", "\u0000\t\r\n\u007f", "%\"\\", "订单/😀", " ", "~"})
    void anyNameTravelsAsAsciiAndIsReadBack(String name) throws Exception {
        FencingToken token = new FencingToken(name, name + name, 1, 0, LEASE, null);

        String field = FencingToken.write(List.of(token));

        assertThat(field).matches("[ -~]*");
        assertThat(FencingToken.parse(List.of(field))).containsExactly(token);
    }

    @Test
    void aNameThatAStringCouldHoldMayComeAsADisplayString() throws Exception {
        assertThat(FencingToken.parse(List.of(WRITTEN.replace("\"orders/42\"", "%\"orders%2f42\""))))
                .containsExactly(ORDER);
    }

    @Test
    void parametersThatAreNotKnownAreIgnoredWhateverTheirType() throws Exception {
        assertThat(FencingToken.parse(List.of(WRITTEN
                        + ";a;b=1;c=1.5;d=\"x\";e=tok/en;f=:AAAA:;g=?0;h=@1659578233;i=%\"f%c3%bc\";*j=-7;k_l-m.n=*")))
                .containsExactly(ORDER);
    }

    @Test
    void theLastOfTwoParametersWithOneNameCounts() throws Exception {
        assertThat(FencingToken.parse(List.of(WRITTEN.replace("token=", "token=7;token="))))
                .containsExactly(ORDER);
    }

    @Test
    void theGenerationIsZeroWhereNoneIsSaid() throws Exception {
        assertThat(FencingToken.parse(List.of(WRITTEN.replace(";gen=0", "")))).containsExactly(ORDER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1729",
                "\"\"",
                "\"0\"",
                "\"-1\"",
                "\"+1\"",
                "\"01\"",
                "\" 1\"",
                "\"1.0\"",
                "\"1e3\"",
                "\"0x1\"",
                "\"9223372036854775808\"",
                "\"99999999999999999999999999999999999999\"",
                "%\"1729\"",
                "tok",
                "?1",
                ":MTcyOQ==:",
                "@1729"
            })
    void aTokenThatIsNoStringOfDigitsMakesTheFieldMalformed(String token) {
        malformed(WRITTEN.replace("\"1729\"", token), "'token'");
    }

    @Test
    void theLargestTokenIsRead() throws Exception {
        assertThat(FencingToken.parse(List.of(WRITTEN.replace("1729", "9223372036854775807"))))
                .singleElement()
                .extracting(FencingToken::token)
                .isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "2147483648", "999999999999999", "\"0\"", "0.0", "?0", "%\"0\""})
    void aGenerationThatIsNoneMakesTheFieldMalformed(String generation) {
        malformed(WRITTEN.replace("gen=0", "gen=" + generation), "'gen'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\"", "7", "\"a b\"", "\"a_b\"", "%\"a\"", "abc"})
    void aLeaseIdThatIsNoneMakesTheFieldMalformed(String lease) {
        malformed(WRITTEN.replace("\"" + LEASE + "\"", lease), "'lease'");
    }

    @Test
    void aLeaseIdHasAnEnd() throws Exception {
        assertThat(FencingToken.parse(List.of(WRITTEN.replace(LEASE, "a".repeat(64)))))
                .hasSize(1);
        malformed(WRITTEN.replace(LEASE, "a".repeat(65)), "'lease'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock=\"\"", "lock", "lock=order", "lock=1", "lock=:AAAA:"})
    void aLockWithoutANameMakesTheFieldMalformed(String lock) {
        malformed(WRITTEN.replace("lock=\"order:42\"", lock), "'lock'");
    }

    @ParameterizedTest
    @ValueSource(strings = {";lock=\"order:42\"", ";token=\"1729\"", ";lease=\"" + LEASE + "\""})
    void noParameterButTheGenerationMayBeMissing(String parameter) {
        malformed(WRITTEN.replace(parameter, ""), parameter.substring(1, parameter.indexOf('=')));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sig=\"AAAA\"", "sig", "sig=::", "sig=1"})
    void aSignatureThatIsNoneMakesTheFieldMalformed(String signature) {
        malformed(WRITTEN + ";" + signature, "'sig'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "orders",
                "1",
                "\"\"",
                "%\"\"",
                "?1",
                "(\"orders/42\")",
                "()",
                ",",
                "\"orders/42\"",
                "a=1",
                "\"",
                "\"a",
                "\"a\\",
                "\"a\\b\"",
                "%\"%FF\"",
                "%\"%ff\"",
                "%\"%f",
                "%",
                "(",
                "(\"a\"",
                ";",
                "\u0000",
                "null"
            })
    void whatIsNoItemOfOursMakesTheFieldMalformed(String field) {
        malformed(field, "expected");
        malformed(field + ", " + WRITTEN, "expected");
        malformed(WRITTEN + ", " + field, "expected");
    }

    @Test
    void whatFollowsAnItemMakesTheFieldMalformed() {
        malformed(WRITTEN + ",", "at character " + (WRITTEN.length() + 2));
        malformed(WRITTEN + "x", "at character " + (WRITTEN.length() + 1) + ": expected ',' or the end, not 'x'");
        malformed(WRITTEN + " " + WRITTEN, "expected ','");
        malformed(WRITTEN + "; Lock=1", "the name of a parameter");
        malformed(WRITTEN + " ;a", "expected ','");
        malformed(WRITTEN + "\u0000", "expected ','");
    }

    @ParameterizedTest
    @ValueSource(strings = {"aufträge", "\u2028", "\u00ff", "\u0131", "\uff11", "a\tb", "a\nb", "\u007f"})
    void whatIsNoPrintableAsciiMakesTheFieldMalformed(String name) {
        malformed(WRITTEN.replace("orders/42", name), "at character ");
        malformed(WRITTEN.replace("order:42", name), "at character ");
        malformed(WRITTEN.replace("1729", name), "at character ");
        malformed(WRITTEN.replace("gen=0", "gen=" + name), "at character ");
    }

    @Test
    void oneResourceTwiceMakesTheFieldMalformed() {
        malformed(WRITTEN + ", " + WRITTEN.replace("1729", "1730"), "one item for the resource 'orders/42'");
        malformed(WRITTEN + ", " + WRITTEN.replace("\"orders/42\"", "%\"orders/42\""), "one item for the resource");
        assertThatThrownBy(() -> FencingToken.write(List.of(ORDER, ORDER)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void tooManyItemsMakeTheFieldMalformed() throws Exception {
        List<FencingToken> most = many(16);
        assertThat(FencingToken.parse(List.of(FencingToken.write(most)))).isEqualTo(most);

        assertThatThrownBy(() -> FencingToken.write(many(17)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16");
        malformed(FencingToken.write(most) + ", " + WRITTEN, "at most 16 items");
    }

    private static List<FencingToken> many(int number) {
        return IntStream.rangeClosed(1, number)
                .mapToObj(i -> new FencingToken("r" + i, "l" + i, i, 0, LEASE, null))
                .toList();
    }

    @Test
    void aFieldThatIsTooLongIsMalformedHoweverItIsSplit() throws Exception {
        String name = "n".repeat(8192 - WRITTEN.length() + "orders/42".length());
        String longest = WRITTEN.replace("orders/42", name);
        assertThat(longest).hasSize(8192);
        assertThat(FencingToken.parse(List.of(longest))).hasSize(1);

        malformed(longest.replace("1729", "17290"), "at most 8192 characters");
        assertThatThrownBy(() -> FencingToken.parse(Collections.nCopies(4098, "")))
                .isInstanceOf(MalformedHeaderException.class)
                .hasMessageContaining("8192");
        assertThatThrownBy(() -> FencingToken.write(List.of(new FencingToken(name, "l".repeat(50), 1, 0, LEASE, null))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("too long");
    }

    @Test
    void messagesShowLittleOfTheFieldAndNothingThatIsNotPrintable() {
        assertThatThrownBy(() -> FencingToken.parse(List.of("<script>\u0000\u00e9" + "x".repeat(4000))))
                .isInstanceOf(MalformedHeaderException.class)
                .hasMessage("at character 1: expected a value, not '<script>\\u0000\\u00e9xxxxxxxxxxxxxxxxxxxx...'");
        String long1 = WRITTEN.replace("orders/42", "o".repeat(200));
        assertThatThrownBy(() -> FencingToken.parse(List.of(long1, long1)))
                .isInstanceOf(MalformedHeaderException.class)
                .satisfies(e -> assertThat(e.getMessage())
                        .contains("o".repeat(40) + "...")
                        .hasSizeLessThan(120));
    }

    @Test
    void halvesOfSurrogatePairsCannotBeCarried() {
        assertThatThrownBy(() -> new FencingToken("a\ud83d", "l", 1, 0, LEASE, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("resource");
        assertThatThrownBy(() -> new FencingToken("a", "\ude00l", 1, 0, LEASE, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lock");
        malformed("%\"%ed%a0%bd\";lock=\"l\";token=\"1\";lease=\"a\"", "UTF-8");
    }

    private static void malformed(String field, String message) {
        assertThatThrownBy(() -> FencingToken.parse(List.of(field)))
                .as(field.length() > 100 ? field.substring(0, 100) : field)
                .isInstanceOf(MalformedHeaderException.class)
                .hasMessageContaining(message)
                .hasMessageMatching("[ -~]*");
    }
}
