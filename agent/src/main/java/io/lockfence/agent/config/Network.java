/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

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
     * @throws IllegalArgumentException saying what is wrong with it
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
            if (!digits.matches("[0-9]{1,3}") || Integer.parseInt(digits) > bits) {
                throw new IllegalArgumentException("what follows '/' is no number up to " + bits);
            }
            prefix = Integer.parseInt(digits);
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

    /** Null if it is anything but an address in numbers: nothing may be looked up. */
    private static byte[] numbers(String text) {
        boolean four = text.matches("[0-9]{1,3}([.][0-9]{1,3}){3}");
        boolean six = text.indexOf(':') >= 0 && text.matches("[0-9A-Fa-f:.]+(%.*)?");
        if (!four && !six) {
            return null;
        }
        try {
            int zone = text.indexOf('%');
            return InetAddress.getByName(zone < 0 ? text : text.substring(0, zone))
                    .getAddress();
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        return text;
    }
}
