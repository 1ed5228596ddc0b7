/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** A range of addresses in CIDR notation, such as {@code 192.0.2.0/24} or {@code 2001:db8::/32}. Immutable. */
public final class Network {
    private final String text;
    private final byte[] address;
    private final int prefix;

    private Network(String text, byte[] address, int prefix) {
        this.text = text;
        this.address = address;
        this.prefix = prefix;
    }

    /**
     * Reads a range; a single address is a range of one. Names are not looked up.
     *
     * @throws IllegalArgumentException saying what is wrong with it; {@link WrongText} where it is known what was meant
     */
    public static Network parse(String text) {
        int slash = text.indexOf('/');
        byte[] address = numbers(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            throw new IllegalArgumentException("it is no address in numbers");
        }
        int bits = address.length * 8;
        int prefix = bits;
        if (slash >= 0) {
            String digits = text.substring(slash + 1);
            if (digits.isEmpty()
                    || digits.length() > 3
                    || !Surprise.isDigits(digits)
                    || Integer.parseInt(digits) > bits) {
                throw new IllegalArgumentException("what follows '/' is no number up to " + bits);
            }
            prefix = Integer.parseInt(digits);
        }
        byte[] first = address.clone();
        for (int bit = prefix; bit < bits; bit++) {
            first[bit >> 3] &= (byte) ~(0x80 >> (bit & 7));
        }
        if (!Arrays.equals(first, address)) {
            throw new WrongText("its address has bits beyond the first " + prefix, oneSpelling(first) + "/" + prefix);
        }
        return new Network(text, address, prefix);
    }

    /** Whether an address in numbers lies in the range. Never throws; false for anything else. */
    public boolean contains(String peer) {
        byte[] other = peer == null ? null : numbers(peer);
        if (other == null || other.length != address.length) {
            return false;
        }
        for (int bit = 0; bit < prefix; bit++) {
            int mask = 0x80 >> (bit & 7);
            if ((other[bit >> 3] & mask) != (address[bit >> 3] & mask)) {
                return false;
            }
        }
        return true;
    }

    /** The one spelling of an address in numbers, without its zone; null if it is none. */
    static String oneSpelling(String text) {
        byte[] address = numbers(text);
        return address == null ? null : oneSpelling(address);
    }

    private static String oneSpelling(byte[] address) {
        try {
            return InetAddress.getByAddress(address).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("every address has 4 or 16 bytes", e);
        }
    }

    /** Null if it is anything but an address in numbers: nothing may be looked up. */
    private static byte[] numbers(String text) {
        if (text.indexOf(':') < 0) {
            return four(text);
        }
        int zone = text.indexOf('%');
        String address = zone < 0 ? text : text.substring(0, zone);
        if (address.indexOf(':') < 0
                || address.charAt(0) == '.'
                || !address.chars().allMatch(c -> isHexDigit(c) || c == ':' || c == '.')) {
            return null;
        }
        try {
            return InetAddress.getByName(address).getAddress();
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static boolean isHexDigit(int c) {
        return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
    }

    /** Four numbers; by hand, since what is none of them would be looked up as a name. */
    private static byte[] four(String text) {
        byte[] address = new byte[4];
        int at = 0;
        int digits = 0;
        int number = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i == text.length() ? '.' : text.charAt(i);
            if (c == '.') {
                if (digits == 0 || at == 4) {
                    return null;
                }
                address[at++] = (byte) number;
                digits = 0;
                number = 0;
            } else if (c < '0' || c > '9' || digits > 0 && number == 0) {
                return null;
            } else {
                digits++;
                number = 10 * number + c - '0';
                if (number > 255) {
                    return null;
                }
            }
        }
        return at == 4 ? address : null;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Network that && prefix == that.prefix && Arrays.equals(address, that.address);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(address) + prefix;
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        return text;
    }
}
