package dev.semel.server.delivery;

import dev.semel.server.config.CidrNetwork;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Addresses that nobody reaches over the public Internet, or that only an attacker wants to be called: the special-purpose registries of
 * IANA (RFC 6890), and where clouds keep credentials. An IPv6 address that stands for an IPv4 address is judged by that.
 */
final class DeniedAddresses {
    /** The rule of {@link #isMetadata}. */
    static final String METADATA = "metadata services of clouds";

    private static final String LOOPBACK = "loopback addresses";
    private static final String PRIVATE = "private networks";
    private static final String LINK_LOCAL = "link-local addresses";
    private static final String MULTICAST = "multicast addresses";
    private static final String UNSPECIFIED = "unspecified addresses";
    private static final String DOCUMENTATION = "addresses for documentation and benchmarks";
    private static final String RESERVED = "reserved addresses";

    private static final List<CidrNetwork> CLOUDS = List.of(
            CidrNetwork.of("169.254.169.254/32"),
            CidrNetwork.of("169.254.170.2/32"),
            CidrNetwork.of("100.100.100.200/32"),
            CidrNetwork.of("168.63.129.16/32"),
            CidrNetwork.of("192.0.0.192/32"),
            CidrNetwork.of("fd00:ec2::254/128"),
            CidrNetwork.of("fd20:ce::254/128"));

    private static final List<Denied> BY_NETWORK = List.of(
            new Denied("0.0.0.0/8", UNSPECIFIED),
            new Denied("10.0.0.0/8", PRIVATE),
            new Denied("100.64.0.0/10", "shared addresses of providers (CGNAT)"),
            new Denied("127.0.0.0/8", LOOPBACK),
            new Denied("169.254.0.0/16", LINK_LOCAL),
            new Denied("172.16.0.0/12", PRIVATE),
            new Denied("192.0.0.0/24", RESERVED),
            new Denied("192.0.2.0/24", DOCUMENTATION),
            new Denied("192.88.99.0/24", RESERVED),
            new Denied("192.168.0.0/16", PRIVATE),
            new Denied("198.18.0.0/15", DOCUMENTATION),
            new Denied("198.51.100.0/24", DOCUMENTATION),
            new Denied("203.0.113.0/24", DOCUMENTATION),
            new Denied("224.0.0.0/4", MULTICAST),
            new Denied("240.0.0.0/4", RESERVED),
            new Denied("::/128", UNSPECIFIED),
            new Denied("::1/128", LOOPBACK),
            new Denied("fc00::/7", PRIVATE),
            new Denied("fe80::/10", LINK_LOCAL),
            new Denied("fec0::/10", PRIVATE),
            new Denied("ff00::/8", MULTICAST),
            new Denied("2001:db8::/32", DOCUMENTATION),
            new Denied("3fff::/20", DOCUMENTATION),
            // Teredo, benchmarks, identifiers that are no locations
            new Denied("2001::/23", RESERVED));

    private static final CidrNetwork GLOBAL = CidrNetwork.of("2000::/3");
    private static final CidrNetwork NAT64 = CidrNetwork.of("64:ff9b::/96");
    private static final CidrNetwork SIX_TO_FOUR = CidrNetwork.of("2002::/16");

    /** Of an ISATAP address from its ninth byte on, without the bit that says whether its IPv4 address is globally unique. */
    private static final byte[] ISATAP = {0, 0, 0x5e, (byte) 0xfe};

    private record Denied(CidrNetwork network, String rule) {
        Denied(String network, String rule) {
            this(CidrNetwork.of(network), rule);
        }
    }

    private DeniedAddresses() {}

    /** Whether a cloud serves credentials there. */
    static boolean isMetadata(InetAddress address) {
        return CLOUDS.stream().anyMatch(cloud -> cloud.contains(address.getAddress()));
    }

    /** The rule that denies an address; null when it is a public one. */
    static @Nullable String ruleFor(InetAddress address) {
        return ruleFor(address.getAddress());
    }

    private static @Nullable String ruleFor(byte[] address) {
        if (CLOUDS.stream().anyMatch(cloud -> cloud.contains(address))) {
            return METADATA;
        }
        for (Denied denied : BY_NETWORK) {
            if (denied.network.contains(address)) {
                return denied.rule;
            }
        }
        return address.length == 4 ? null : ruleForIpv6(address);
    }

    private static @Nullable String ruleForIpv6(byte[] address) {
        if (NAT64.contains(address)) {
            return ruleFor(Arrays.copyOfRange(address, 12, 16));
        }
        if (SIX_TO_FOUR.contains(address)) {
            return ruleFor(Arrays.copyOfRange(address, 2, 6));
        }
        if (!GLOBAL.contains(address)) {
            return RESERVED;
        }
        byte[] interfaceId = Arrays.copyOfRange(address, 8, 12);
        interfaceId[0] &= ~2;
        return Arrays.equals(interfaceId, ISATAP) ? ruleFor(Arrays.copyOfRange(address, 12, 16)) : null;
    }
}
