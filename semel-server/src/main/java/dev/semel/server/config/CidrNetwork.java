package dev.semel.server.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks networks in CIDR notation. No name is looked up. */
final class CidrNetwork {
    private static final Pattern FORM = Pattern.compile("([0-9a-fA-F:.]{2,45})/([0-9]{1,3})");
    private static final Pattern IPV4 =
            Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");

    private CidrNetwork() {}

    /** @throws IllegalArgumentException that says what would be right */
    static String checked(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("not a network; write 10.1.0.0/16, 127.0.0.1/32 or fd00::/8");
        }
        byte[] address = address(form.group(1));
        int bits = Integer.parseInt(form.group(2));
        if (bits > address.length * 8) {
            throw new IllegalArgumentException("its prefix is too long; at most /" + address.length * 8);
        }
        for (int bit = bits; bit < address.length * 8; bit++) {
            if ((address[bit / 8] >> (7 - bit % 8) & 1) != 0) {
                throw new IllegalArgumentException(
                        "its address has bits behind the prefix; write the first address of the network, or a longer prefix");
            }
        }
        return text;
    }

    private static byte[] address(String text) {
        boolean six = text.contains(":");
        if (!six && !IPV4.matcher(text).matches()) {
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
}
