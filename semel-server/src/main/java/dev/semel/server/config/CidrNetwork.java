package dev.semel.server.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A network in CIDR notation, such as {@code 10.1.0.0/16} or {@code fd00:1::/32}. No name is looked up.
 *
 * @param base its first address; the bits beyond the prefix are zero
 * @param prefix how many leading bits its addresses share
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record CidrNetwork(byte[] base, int prefix) {
    private static final Pattern FORM = Pattern.compile("([0-9a-fA-F:.]{2,45})/(0|[1-9][0-9]{0,2})");
    private static final Pattern IPV4 =
            Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");

    /** @throws IllegalArgumentException that says what would be right */
    public static CidrNetwork of(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("not a network; write 10.1.0.0/16, 127.0.0.1/32 or fd00::/8");
        }
        byte[] address = address(form.group(1));
        int prefix = Integer.parseInt(form.group(2));
        if (prefix > address.length * Byte.SIZE) {
            throw new IllegalArgumentException("its prefix is too long; at most /" + address.length * Byte.SIZE);
        }
        CidrNetwork network = new CidrNetwork(address, prefix);
        if (!network.contains(address)) {
            throw new IllegalArgumentException(
                    "its address has bits behind the prefix; write the first address of the network, or a longer prefix");
        }
        return network;
    }

    /** Whether it is four decimal numbers without leading zeros: the only text of an IPv4 address that means the same everywhere. */
    public static boolean isIpv4(String text) {
        return IPV4.matcher(text).matches();
    }

    private static byte[] address(String text) {
        boolean six = text.contains(":");
        if (!six && !isIpv4(text)) {
            throw new IllegalArgumentException("not an IP address; write 10.1.0.0/16 or fd00::/8");
        }
        try {
            byte[] address = InetAddress.getByName(text).getAddress();
            if (address.length != (six ? 16 : 4)) {
                throw new IllegalArgumentException("an IPv4 address in the form of IPv6; write it as 10.1.0.0/16");
            }
            return address;
        } catch (UnknownHostException wrong) {
            throw new IllegalArgumentException("not an IP address; write 10.1.0.0/16 or fd00::/8", wrong);
        }
    }

    /** Addresses of the other version of IP are never in it. */
    public boolean contains(byte[] address) {
        return address.length == base.length && Arrays.equals(base, masked(address));
    }

    /** Whether it is one single address. */
    public boolean isSingle() {
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
