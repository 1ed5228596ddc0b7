/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.http;

import io.lockfence.agent.http.Bare.ByteSequence;
import io.lockfence.agent.http.Bare.DisplayString;
import io.lockfence.agent.http.Bare.IntegerValue;
import io.lockfence.agent.http.Bare.StringValue;
import io.lockfence.agent.http.Member.Item;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * One lease as it travels with a request: an item of the field {@value io.lockfence.bootstrap.Effects#HEADER}, which is a list of RFC 9651. Immutable.
 *
 * <p>{@code "orders/42";lock="order:42";token="1729";gen=0;lease="7f3c"}, with {@code sig=:base64:} behind it where it is signed. The token is a string
 * since structured integers stop at 15 digits. Names that hold more than printable ASCII are written as Display Strings; both forms are read.
 * Parameters that are not known are ignored, and no signature covers them.
 *
 * @param resource what the token is scoped to; at least one character, no half of a surrogate pair
 * @param lock its name; at least one character, no half of a surrogate pair
 * @param token above 0
 * @param generation not negative
 * @param leaseId 1 to 64 letters, digits and {@code -}, of ASCII
 * @param signature see {@link Signature}; 1 to 64 bytes; null if it is not signed
 */
public record FencingToken(String resource, String lock, long token, int generation, String leaseId, Bytes signature) {
    /** How many characters a field has at most, all lines together. */
    public static final int LONGEST = 8192;

    /** How many leases a request carries at most. */
    public static final int MOST = 16;

    private static final int LONGEST_LEASE_ID = 64;
    private static final int LONGEST_SIGNATURE = 64;

    /** @throws IllegalArgumentException if it could not be written or read */
    public FencingToken {
        Objects.requireNonNull(resource);
        Objects.requireNonNull(lock);
        Objects.requireNonNull(leaseId);
        require(isName(resource), "the resource");
        require(isName(lock), "the lock's name");
        require(token > 0, "the token");
        require(generation >= 0, "the generation");
        require(isLeaseId(leaseId), "the lease id");
        require(
                signature == null || signature.length() >= 1 && signature.length() <= LONGEST_SIGNATURE,
                "the signature");
    }

    private static void require(boolean good, String what) {
        if (!good) {
            throw new IllegalArgumentException(what + " cannot be carried by a header");
        }
    }

    /** The same, with a signature. */
    FencingToken with(Bytes otherSignature) {
        return new FencingToken(resource, lock, token, generation, leaseId, otherSignature);
    }

    /**
     * Reads a field.
     *
     * @param lines the values of its lines, as they came and in their order; characters beyond ASCII may have been decoded in any way
     * @return an item for each lease, no two of the same resource; empty if the field is empty
     * @throws MalformedHeaderException if anything in it is not as it should be, also if it is too long
     */
    public static List<FencingToken> parse(List<String> lines) throws MalformedHeaderException {
        String field = join(lines);
        List<FencingToken> tokens = new ArrayList<>();
        Set<String> resources = new HashSet<>();
        for (Member member : StructuredField.list(field)) {
            if (tokens.size() == MOST) {
                throw new MalformedHeaderException("expected at most " + MOST + " items");
            }
            FencingToken token = read(member, "item " + (tokens.size() + 1));
            if (!resources.add(token.resource())) {
                throw new MalformedHeaderException("expected one item for the resource '"
                        + MalformedHeaderException.shown(token.resource()) + "', not two");
            }
            tokens.add(token);
        }
        return tokens;
    }

    private static String join(List<String> lines) throws MalformedHeaderException {
        long length = 0;
        for (String line : lines) {
            length += line.length() + 2;
        }
        if (length - 2 > LONGEST) {
            throw new MalformedHeaderException("expected at most " + LONGEST + " characters");
        }
        return String.join(", ", lines);
    }

    private static FencingToken read(Member member, String where) throws MalformedHeaderException {
        if (!(member instanceof Item item)) {
            throw wrong(where, "a resource, not a list in parentheses");
        }
        Map<String, Bare> parameters = item.parameters();
        return new FencingToken(
                name(item.value(), where, "a resource, which is a string"),
                name(parameters.get("lock"), where, "'lock', which is a string"),
                token(parameters.get("token"), where),
                generation(parameters.get("gen"), where),
                leaseId(parameters.get("lease"), where),
                signature(parameters.get("sig"), where));
    }

    private static String name(Bare value, String where, String expected) throws MalformedHeaderException {
        String name = value instanceof StringValue string
                ? string.text()
                : value instanceof DisplayString string ? string.text() : "";
        if (name.isEmpty()) {
            throw wrong(where, expected + " that is not empty");
        }
        return name;
    }

    private static long token(Bare value, String where) throws MalformedHeaderException {
        if (value instanceof StringValue string && isNumber(string.text())) {
            try {
                return Long.parseLong(string.text());
            } catch (NumberFormatException e) {
                // said below
            }
        }
        throw wrong(where, "'token', which is a string of digits: a number from 1 to " + Long.MAX_VALUE);
    }

    private static boolean isNumber(String text) {
        return !text.startsWith("0") && !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static int generation(Bare value, String where) throws MalformedHeaderException {
        if (value == null) {
            return 0;
        }
        if (value instanceof IntegerValue integer && integer.number() >= 0 && integer.number() <= Integer.MAX_VALUE) {
            return (int) integer.number();
        }
        throw wrong(where, "'gen', if it is there, to be a whole number from 0 to " + Integer.MAX_VALUE);
    }

    private static String leaseId(Bare value, String where) throws MalformedHeaderException {
        if (value instanceof StringValue string && isLeaseId(string.text())) {
            return string.text();
        }
        throw wrong(where, "'lease', which is a string of 1 to " + LONGEST_LEASE_ID + " letters, digits and '-'");
    }

    private static Bytes signature(Bare value, String where) throws MalformedHeaderException {
        if (value == null) {
            return null;
        }
        if (value instanceof ByteSequence sequence
                && sequence.bytes().length() >= 1
                && sequence.bytes().length() <= LONGEST_SIGNATURE) {
            return sequence.bytes();
        }
        throw wrong(
                where, "'sig', if it is there, to be 1 to " + LONGEST_SIGNATURE + " bytes in base64 between colons");
    }

    private static MalformedHeaderException wrong(String where, String expected) {
        return new MalformedHeaderException("in " + where + ": expected " + expected);
    }

    private static boolean isName(String text) {
        return !text.isEmpty()
                && text.codePoints().noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    private static boolean isLeaseId(String text) {
        return !text.isEmpty()
                && text.length() <= LONGEST_LEASE_ID
                && text.chars()
                        .allMatch(
                                c -> c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '-');
    }

    /**
     * The value of a field that carries these leases; empty if there are none: then send no field.
     *
     * @throws IllegalArgumentException if no receiver would read it: more than {@link #MOST} leases or {@link #LONGEST} characters, or two of one
     *     resource
     */
    public static String write(List<FencingToken> tokens) {
        StringBuilder field = new StringBuilder();
        Set<String> resources = new HashSet<>();
        for (FencingToken token : tokens) {
            if (!resources.add(token.resource())) {
                throw new IllegalArgumentException("a request carries one lease of a resource, not two");
            }
            if (field.length() > 0) {
                field.append(", ");
            }
            token.write(field);
        }
        if (tokens.size() > MOST) {
            throw new IllegalArgumentException("a request carries at most " + MOST + " leases, not " + tokens.size());
        }
        if (field.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "the names of its locks and resources are too long for a request: the leases take " + field.length()
                            + " characters of " + LONGEST);
        }
        return field.toString();
    }

    private void write(StringBuilder field) {
        writeUnsigned(field);
        if (signature != null) {
            field.append(";sig=:").append(signature).append(':');
        }
    }

    /** The item without its signature: the one way to write these values, however they were written by who sent them. */
    String unsigned() {
        StringBuilder item = new StringBuilder();
        writeUnsigned(item);
        return item.toString();
    }

    private void writeUnsigned(StringBuilder item) {
        string(item, resource);
        string(item.append(";lock="), lock);
        item.append(";token=\"").append(token).append("\";gen=").append(generation);
        item.append(";lease=\"").append(leaseId).append('"');
    }

    private static void string(StringBuilder item, String text) {
        if (text.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            item.append('"');
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '"' || c == '\\') {
                    item.append('\\');
                }
                item.append(c);
            }
        } else {
            item.append("%\"");
            for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
                if (b < ' ' || b > '~' || b == '%' || b == '"') {
                    item.append('%').append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
                } else {
                    item.append((char) b);
                }
            }
        }
        item.append('"');
    }
}
