/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.http.Member.InnerList;
import io.lockfence.agent.http.Member.Item;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The published vectors of RFC 9651: what must be read is read as they say, what must fail fails. */
class StructuredFieldVectorsTest {
    private static final String VECTORS = "structured-field-tests/";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "binary",
                "boolean",
                "date",
                "display-string",
                "examples",
                "item",
                "key-generated",
                "list",
                "listlist",
                "number",
                "number-generated",
                "param-list",
                "param-listlist",
                "string",
                "string-generated",
                "token",
                "token-generated"
            })
    void everyVectorOfItemsAndListsIsReadAsItSays(String file) throws IOException {
        List<String> wrong = new ArrayList<>();
        int looked = 0;
        for (JsonNode vector : read(file)) {
            boolean list = vector.get("header_type").asString().equals("list");
            if (!list && !vector.get("header_type").asString().equals("item")) {
                continue;
            }
            looked++;
            boolean mustFail = vector.path("must_fail").asBoolean(false);
            boolean canFail = vector.path("can_fail").asBoolean(false);
            try {
                List<String> lines = new ArrayList<>();
                vector.get("raw").forEach(line -> lines.add(line.asString()));
                String text = String.join(", ", lines);
                Object found = list ? plain(StructuredField.list(text)) : plain(StructuredField.single(text));
                if (mustFail || !found.equals(expected(list, vector.get("expected")))) {
                    wrong.add(vector.get("name").asString() + ": read as " + found);
                }
            } catch (MalformedHeaderException e) {
                if (!mustFail && !canFail) {
                    wrong.add(vector.get("name").asString() + ": " + e.getMessage());
                }
            }
        }

        assertThat(looked).isPositive();
        assertThat(wrong).isEmpty();
    }

    @Test
    void namesAreWrittenAsTheVectorsWriteStringsAndDisplayStrings() throws Exception {
        int looked = 0;
        for (String file : List.of("string", "string-generated", "display-string")) {
            for (JsonNode vector : read(file)) {
                if (vector.path("must_fail").asBoolean(false)
                        || !vector.get("header_type").asString().equals("item")) {
                    continue;
                }
                JsonNode value = vector.get("expected").get(0);
                String name =
                        value.isString() ? value.asString() : value.get("value").asString();
                boolean ours = value.isString() == name.chars().allMatch(c -> c >= ' ' && c <= '~');
                if (name.isEmpty() || !ours) {
                    continue;
                }
                JsonNode canonical = vector.has("canonical") ? vector.get("canonical") : vector.get("raw");
                looked++;

                assertThat(FencingToken.write(List.of(new FencingToken(name, "l", 1, 0, "a", null))))
                        .as(vector.get("name").asString())
                        .isEqualTo(canonical.get(0).asString() + ";lock=\"l\";token=\"1\";gen=0;lease=\"a\"");
            }
        }
        assertThat(looked).isGreaterThan(90);
    }

    @Test
    void whatNoStringCanHoldIsNotWrittenAsOne() throws Exception {
        for (JsonNode vector : read("serialisation-tests/string-generated")) {
            assertThat(vector.get("must_fail").asBoolean()).isTrue();
            String name = vector.get("expected").get(0).asString();

            assertThat(new FencingToken(name, "l", 1, 0, "a", null).unsigned()).startsWith("%\"");
        }
    }

    private static List<String> plain(List<Member> members) {
        return members.stream().map(StructuredFieldVectorsTest::plain).toList();
    }

    private static String plain(Member member) {
        if (member instanceof InnerList list) {
            return "("
                    + list.items().stream()
                            .map(StructuredFieldVectorsTest::plain)
                            .toList() + ")" + plain(list.parameters());
        }
        Item item = (Item) member;
        return plain(item.value()) + plain(item.parameters());
    }

    private static String plain(Map<String, Bare> parameters) {
        StringBuilder all = new StringBuilder();
        parameters.forEach(
                (name, value) -> all.append("; ").append(name).append('=').append(plain(value)));
        return all.toString();
    }

    private static String plain(Bare bare) {
        if (bare instanceof Bare.IntegerValue value) {
            return "integer " + value.number();
        }
        if (bare instanceof Bare.DecimalValue value) {
            return "decimal " + value.number().stripTrailingZeros().toPlainString();
        }
        if (bare instanceof Bare.StringValue value) {
            return "string " + value.text();
        }
        if (bare instanceof Bare.TokenValue value) {
            return "token " + value.text();
        }
        if (bare instanceof Bare.ByteSequence value) {
            return "binary " + value.bytes();
        }
        if (bare instanceof Bare.BooleanValue value) {
            return "boolean " + value.is();
        }
        if (bare instanceof Bare.DateValue value) {
            return "date " + value.seconds();
        }
        return "displaystring " + ((Bare.DisplayString) bare).text();
    }

    private static Object expected(boolean list, JsonNode expected) {
        return list ? expectedList(expected) : expectedMember(expected);
    }

    private static List<String> expectedList(JsonNode members) {
        List<String> all = new ArrayList<>();
        members.forEach(member -> all.add(expectedMember(member)));
        return all;
    }

    private static String expectedMember(JsonNode member) {
        JsonNode value = member.get(0);
        String parameters = expectedParameters(member.get(1));
        return (value.isArray() ? "(" + expectedList(value) + ")" : expectedBare(value)) + parameters;
    }

    private static String expectedParameters(JsonNode parameters) {
        StringBuilder all = new StringBuilder();
        parameters.forEach(parameter -> all.append("; ")
                .append(parameter.get(0).asString())
                .append('=')
                .append(expectedBare(parameter.get(1))));
        return all.toString();
    }

    private static String expectedBare(JsonNode bare) {
        if (bare.isObject()) {
            String type = bare.get("__type").asString();
            String value = bare.get("value").asString();
            return type + " " + (type.equals("binary") ? Base64.getEncoder().encodeToString(base32(value)) : value);
        }
        if (bare.isString()) {
            return "string " + bare.asString();
        }
        if (bare.isBoolean()) {
            return "boolean " + bare.asBoolean();
        }
        return bare.isIntegralNumber()
                ? "integer " + bare.asLong()
                : "decimal " + bare.decimalValue().stripTrailingZeros().toPlainString();
    }

    /** The vectors write bytes so (RFC 4648, section 6). */
    private static byte[] base32(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int bits = 0;
        int held = 0;
        for (char c : text.replace("=", "").toCharArray()) {
            held = held << 5 | "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c);
            bits += 5;
            if (bits >= 8) {
                bits -= 8;
                bytes.write(held >> bits);
                held &= (1 << bits) - 1;
            }
        }
        return bytes.toByteArray();
    }

    private static JsonNode read(String file) throws IOException {
        try (InputStream in = StructuredFieldVectorsTest.class.getResourceAsStream(VECTORS + file + ".json")) {
            return JsonMapper.shared().readTree(in);
        }
    }
}
