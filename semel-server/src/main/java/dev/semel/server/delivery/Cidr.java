package dev.semel.server.delivery;

import dev.semel.SemelException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * A network in CIDR notation, such as {@code 10.1.0.0/16} or {@code fd00:1::/32}.
 *
 * @param base its first address; the bits beyond the prefix are zero
 * @param prefix how many leading bits its addresses share
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Cidr(byte[] base, int prefix) {
    /** Four decimal numbers without leading zeros: the only text of an IPv4 address that means the same everywhere. */
    static final Pattern IPV4 = Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");

    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
    private static final Pattern PREFIX = Pattern.compile("0|[1-9][0-9]{0,2}");

    /** @throws SemelException.Invalid when the text is no network, or its address has bits beyond the prefix */
    static Cidr of(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? "" : text.substring(0, slash);
        String length = text.substring(slash + 1);
        boolean literal =
                IPV4.matcher(address).matches() || IPV6.matcher(address).matches();
        if (!literal || !PREFIX.matcher(length).matches()) {
            throw invalid(text, "an address, a slash and the number of leading bits are needed");
        }
        byte[] bytes = bytes(text, address);
        int prefix = Integer.parseInt(length);
        if (prefix > bytes.length * Byte.SIZE) {
            throw invalid(text, "there are only " + bytes.length * Byte.SIZE + " bits");
        }
        Cidr network = new Cidr(bytes, prefix);
        if (!Arrays.equals(bytes, network.masked(bytes))) {
            throw invalid(text, "its address has bits beyond the prefix");
        }
        return network;
    }

    private static byte[] bytes(String text, String address) {
        try {
            return InetAddress.getByName(address).getAddress();
        } catch (UnknownHostException e) {
            throw invalid(text, "its address cannot be read");
        }
    }

    private static SemelException.Invalid invalid(String text, String why) {
        return new SemelException.Invalid(
                "\"" + text + "\" is not a network: " + why + ". Write it as 10.1.0.0/16 or fd00:1::/32.");
    }

    /** Addresses of the other version of IP are never in it. */
    boolean contains(byte[] address) {
        return address.length == base.length && Arrays.equals(base, masked(address));
    }

    /** Whether it is one single address. */
    boolean isSingle() {
        return prefix == base.length * Byte.SIZE;
    }

    private byte[] masked(byte[] address) {
        byte[] masked = new byte[address.length];
        for (int i = 0; i < address.length; i++) {
            int bits = Math.min(Byte.SIZE, Math.max(0, prefix - i * Byte.SIZE));
            masked[i] = (byte) (address[i] & 0xff << Byte.SIZE - bits);
        }
        return masked;
    }
}
