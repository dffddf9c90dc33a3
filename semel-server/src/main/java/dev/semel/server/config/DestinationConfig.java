package dev.semel.server.config;

import dev.semel.Channel;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where webhooks are delivered, by HTTP POST.
 *
 * @param name as in routes, metrics and the CLI
 * @param policy of its channel: attempts, delays, what happens to a lane whose head dies
 * @param ordered whether webhooks of one lane are delivered one at a time, in their order
 * @param capacity deliveries at once on a node, rate limit of all nodes together, breaker
 * @param disableAfter of failing without a success, after which it is switched off; none for never
 */
public record DestinationConfig(
        String name,
        Target target,
        String policy,
        boolean ordered,
        Channel.Capacity capacity,
        @Nullable Duration disableAfter) {

    /**
     * How it is called.
     *
     * @param headers added to each request; their values may be secrets and are never shown
     * @param signing secrets of Standard Webhooks ({@code whsec_...}), each of which signs; empty for no signature
     * @param timeout of one delivery, from the connection to the last byte of the answer
     */
    public record Target(
            URI url, Map<String, String> headers, List<String> signing, Duration timeout, EgressRules egress) {
        public Target {
            headers = Map.copyOf(headers);
            signing = List.copyOf(signing);
        }

        /** Scheme, host and port of the URL: the rest of it may hold a token. */
        public String origin() {
            return url.getScheme() + "://" + url.getHost() + (url.getPort() < 0 ? "" : ":" + url.getPort());
        }

        /** Without the path of the URL, the values of headers and the secrets. */
        @Override
        public String toString() {
            return "Target[" + origin() + ", headers " + headers.keySet() + ", " + signing.size() + " signing secrets, "
                    + timeout + ", " + egress + "]";
        }
    }

    /**
     * What a delivery may connect to. Public addresses by HTTPS are allowed, everything else must be named.
     *
     * @param plainHttp whether {@code http:} is allowed
     * @param networks further addresses in CIDR notation, such as {@code 10.1.0.0/16} or {@code 127.0.0.1/32}
     */
    public record EgressRules(boolean plainHttp, List<String> networks) {
        /** HTTPS to public addresses. */
        public static final EgressRules PUBLIC = new EgressRules(false, List.of());

        public EgressRules {
            networks = List.copyOf(networks);
        }
    }
}
