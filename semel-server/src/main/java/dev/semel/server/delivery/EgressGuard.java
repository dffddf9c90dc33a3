package dev.semel.server.delivery;

import dev.semel.SemelException;
import dev.semel.server.config.CidrNetwork;
import dev.semel.server.config.DestinationConfig.EgressRules;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the deliveries of one destination may connect to. Immutable and thread-safe.
 *
 * <ul>
 *   <li>The URL is HTTPS, unless plain HTTP is allowed, and has no user info. Its host is a name in ASCII, an IPv4 address of four decimal
 *       numbers, or an IPv6 address without a zone. Other forms of an address (decimal, octal, hexadecimal, short) are rejected.
 *   <li>Every address of the host must be public ({@link DeniedAddresses}) or in a network that the operator named. One that is neither
 *       rejects the whole host.
 *   <li>An address at which clouds serve credentials must be named by itself ({@code 169.254.169.254/32}): a larger network that contains
 *       it does not allow it.
 * </ul>
 *
 * Addresses that passed are connected to as they are ({@link PinnedResolver}): the name is not resolved a second time.
 */
final class EgressGuard {
    /** In the last part of a host: a number, which some resolvers read as part of an address. */
    private static final Pattern NUMBER = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0x[0-9a-f]*)");

    private static final int LARGEST_PORT = 65_535;

    private final String destination;
    private final boolean plainHttp;
    private final List<CidrNetwork> networks;

    private EgressGuard(String destination, boolean plainHttp, List<CidrNetwork> networks) {
        this.destination = destination;
        this.plainHttp = plainHttp;
        this.networks = networks;
    }

    /** @throws SemelException.Invalid when a network cannot be read */
    static EgressGuard of(String destination, EgressRules rules) {
        return new EgressGuard(
                destination,
                rules.plainHttp(),
                rules.networks().stream().map(EgressGuard::network).toList());
    }

    private static CidrNetwork network(String text) {
        try {
            return CidrNetwork.of(text);
        } catch (IllegalArgumentException e) {
            throw new SemelException.Invalid("\"" + text + "\" is not a network: " + e.getMessage());
        }
    }

    /** @throws EgressRejected when no delivery may go to this URL, whatever its host resolves to */
    void demandAllowed(URI url) throws EgressRejected {
        String fault = fault(url);
        if (fault != null) {
            throw new EgressRejected(destination, fault);
        }
    }

    private @Nullable String fault(URI url) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !(plainHttp && scheme.equals("http"))) {
            return scheme.equals("http")
                    ? "its URL is plain HTTP, which its egress rules do not allow. Use https, or allow plain HTTP."
                    : "its URL is not HTTPS. Use https.";
        }
        String authority = url.getRawAuthority();
        if (authority != null && authority.indexOf('@') >= 0) {
            return "its URL contains a user name. Remove it and send credentials in a header.";
        }
        if (url.getPort() == 0 || url.getPort() > LARGEST_PORT) {
            return "the port of its URL does not exist. Use 1 to 65535.";
        }
        return url.getHost() == null
                ? "the host of its URL is missing or not valid. Write a name in ASCII (an international one in its xn--"
                        + " form), an IPv4 address as four decimal numbers, or an IPv6 address in brackets."
                : hostFault(url.getHost().toLowerCase(Locale.ROOT));
    }

    private static @Nullable String hostFault(String host) {
        if (host.indexOf('%') >= 0) {
            return "the address in its URL has a zone. Write it without.";
        }
        if (host.endsWith(".")) {
            return "the host of its URL ends in a dot. Remove it.";
        }
        boolean encoded = NUMBER.matcher(host).matches() && !CidrNetwork.isIpv4(host);
        return encoded ? "the address in its URL is encoded. Write it as four decimal numbers." : null;
    }

    /**
     * @param addresses all of its host
     * @throws EgressRejected when one of them is not allowed
     */
    void demandAllowed(List<InetAddress> addresses) throws EgressRejected {
        for (InetAddress address : addresses) {
            String rule = rule(address);
            if (rule != null) {
                throw new EgressRejected(
                        destination,
                        "its host has an address that the egress rule for " + rule
                                + " denies. If deliveries are meant to go there, add its network to the destination's networks.");
            }
        }
    }

    private @Nullable String rule(InetAddress address) {
        boolean metadata = DeniedAddresses.isMetadata(address);
        boolean named = networks.stream()
                .anyMatch(network -> network.contains(address.getAddress()) && (!metadata || network.isSingle()));
        return named ? null : DeniedAddresses.ruleFor(address);
    }
}
