/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import io.lockfence.agent.http.Bare.BooleanValue;
import io.lockfence.agent.http.Bare.ByteSequence;
import io.lockfence.agent.http.Bare.DateValue;
import io.lockfence.agent.http.Bare.DecimalValue;
import io.lockfence.agent.http.Bare.DisplayString;
import io.lockfence.agent.http.Bare.IntegerValue;
import io.lockfence.agent.http.Bare.StringValue;
import io.lockfence.agent.http.Bare.TokenValue;
import io.lockfence.agent.http.Member.InnerList;
import io.lockfence.agent.http.Member.Item;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a structured field by the steps of RFC 9651, section 4.2: strictly, so that whatever is wrong anywhere makes the whole field wrong. Takes time
 * in proportion to the text's length. Used by one thread.
 */
final class StructuredField {
    private static final String AFTER_NAME_OF_PARAMETER = "_-.*";
    private static final String IN_TOKEN = "!#$%&'*+-.^_`|~:/";

    private final String text;
    private int at;

    private StructuredField(String text) {
        this.text = text;
    }

    /** A field that is a list; the empty text is the empty list. */
    static List<Member> list(String text) throws MalformedHeaderException {
        StructuredField field = new StructuredField(text);
        field.skipSpaces();
        List<Member> members = new ArrayList<>();
        while (!field.ended()) {
            members.add(field.next() == '(' ? field.innerList() : field.item());
            field.skipBlanks();
            if (field.ended()) {
                break;
            }
            field.expect(',', "',' or the end");
            field.skipBlanks();
            if (field.ended()) {
                throw field.wrong("a member after ','");
            }
        }
        return members;
    }

    /** A field that is one item. */
    static Item single(String text) throws MalformedHeaderException {
        StructuredField field = new StructuredField(text);
        field.skipSpaces();
        Item item = field.item();
        field.skipSpaces();
        if (!field.ended()) {
            throw field.wrong("the end");
        }
        return item;
    }

    private InnerList innerList() throws MalformedHeaderException {
        at++;
        List<Item> items = new ArrayList<>();
        while (true) {
            skipSpaces();
            if (next() == ')') {
                at++;
                return new InnerList(items, parameters());
            }
            items.add(item());
            if (next() != ' ' && next() != ')') {
                throw wrong("' ' or ')'");
            }
        }
    }

    private Item item() throws MalformedHeaderException {
        return new Item(bare(), parameters());
    }

    private Map<String, Bare> parameters() throws MalformedHeaderException {
        Map<String, Bare> parameters = new LinkedHashMap<>();
        while (next() == ';') {
            at++;
            skipSpaces();
            String name = parameterName();
            Bare value = new BooleanValue(true);
            if (next() == '=') {
                at++;
                value = bare();
            }
            parameters.put(name, value);
        }
        return parameters;
    }

    private String parameterName() throws MalformedHeaderException {
        int start = at;
        if (!isSmall(next()) && next() != '*') {
            throw wrong("the name of a parameter");
        }
        do {
            at++;
        } while (isSmall(next()) || isDigit(next()) || AFTER_NAME_OF_PARAMETER.indexOf(next()) >= 0);
        return text.substring(start, at);
    }

    private Bare bare() throws MalformedHeaderException {
        char first = next();
        if (first == '-' || isDigit(first)) {
            return number();
        }
        if (isLetter(first) || first == '*') {
            return token();
        }
        return switch (first) {
            case '"' -> string();
            case ':' -> bytes();
            case '?' -> truth();
            case '@' -> date();
            case '%' -> displayString();
            default -> throw wrong("a value");
        };
    }

    private Bare number() throws MalformedHeaderException {
        int start = at;
        int whole = next() == '-' ? ++at : at;
        digits(15);
        if (next() != '.') {
            return new IntegerValue(Long.parseLong(text, start, at, 10));
        }
        if (at - whole > 12) {
            throw wrong("at most 12 digits before '.'");
        }
        at++;
        digits(3);
        return new DecimalValue(new BigDecimal(text.substring(start, at)));
    }

    private void digits(int most) throws MalformedHeaderException {
        int start = at;
        while (isDigit(next())) {
            if (at - start == most) {
                throw wrong("at most " + most + " digits there");
            }
            at++;
        }
        if (at == start) {
            throw wrong("a digit");
        }
    }

    private Bare string() throws MalformedHeaderException {
        at++;
        StringBuilder value = new StringBuilder();
        while (next() != '"') {
            if (next() == '\\') {
                at++;
                if (next() != '"' && next() != '\\') {
                    throw wrong("'\"' or '\\' after '\\'");
                }
            }
            value.append(printable());
        }
        at++;
        return new StringValue(value.toString());
    }

    private char printable() throws MalformedHeaderException {
        char c = next();
        if (c < ' ' || c > '~') {
            throw wrong("a printable ASCII character or '\"'");
        }
        at++;
        return c;
    }

    private Bare token() {
        int start = at;
        do {
            at++;
        } while (isLetter(next()) || isDigit(next()) || IN_TOKEN.indexOf(next()) >= 0);
        return new TokenValue(text.substring(start, at));
    }

    private Bare bytes() throws MalformedHeaderException {
        int start = ++at;
        while (isLetter(next()) || isDigit(next()) || "+/=".indexOf(next()) >= 0) {
            at++;
        }
        String encoded = text.substring(start, at);
        expect(':', "base64 and ':'");
        try {
            return new ByteSequence(Bytes.of(Base64.getDecoder().decode(encoded)));
        } catch (IllegalArgumentException e) {
            at = start;
            throw wrong("base64");
        }
    }

    private Bare truth() throws MalformedHeaderException {
        at++;
        if (next() != '0' && next() != '1') {
            throw wrong("0 or 1");
        }
        return new BooleanValue(text.charAt(at++) == '1');
    }

    private Bare date() throws MalformedHeaderException {
        at++;
        if (number() instanceof IntegerValue seconds) {
            return new DateValue(seconds.number());
        }
        throw wrong("a date in whole seconds");
    }

    private Bare displayString() throws MalformedHeaderException {
        int start = ++at;
        expect('"', "'\"'");
        ByteArrayOutputStream utf8 = new ByteArrayOutputStream();
        while (next() != '"') {
            char c = printable();
            utf8.write(c == '%' ? hexDigit() << 4 | hexDigit() : c);
        }
        at++;
        try {
            return new DisplayString(StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(utf8.toByteArray()))
                    .toString());
        } catch (CharacterCodingException e) {
            at = start;
            throw wrong("UTF-8");
        }
    }

    private int hexDigit() throws MalformedHeaderException {
        char c = next();
        if (!isDigit(c) && (c < 'a' || c > 'f')) {
            throw wrong("two hexadecimal digits, small, after '%'");
        }
        at++;
        return Character.digit(c, 16);
    }

    /** Code 0 at the end, which is in no structured field: every place that meets it says what it expected. */
    private char next() {
        return ended() ? 0 : text.charAt(at);
    }

    private boolean ended() {
        return at == text.length();
    }

    private void expect(char c, String expected) throws MalformedHeaderException {
        if (next() != c || ended()) {
            throw wrong(expected);
        }
        at++;
    }

    private void skipSpaces() {
        while (next() == ' ') {
            at++;
        }
    }

    private void skipBlanks() {
        while (next() == ' ' || next() == '\t') {
            at++;
        }
    }

    private MalformedHeaderException wrong(String expected) {
        String found = ended() ? "the end" : "'" + MalformedHeaderException.shown(text.substring(at)) + "'";
        return new MalformedHeaderException("at character " + (at + 1) + ": expected " + expected + ", not " + found);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isSmall(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean isLetter(char c) {
        return isSmall(c) || c >= 'A' && c <= 'Z';
    }
}
