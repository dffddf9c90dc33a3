package dev.semel.server.config;

import dev.semel.Tenant;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP API behind the gateway, and the path at which the server passes requests on to it.
 *
 * @param path begins with a slash; all paths below it are the gateway's
 * @param callers how callers are told apart
 * @param rule of requests under an idempotency key
 */
public record GatewayConfig(
        String name, String path, Upstream upstream, Callers callers, KeyedRequests rule, GatewayLimits limits) {

    /**
     * The API.
     *
     * @param url scheme, host, port and base path; nothing else is ever connected to
     * @param headers set on each request, in place of the caller's
     * @param timeout from the connection to the last byte of an answer, for requests under a key; else to its first byte
     * @param idle after which an answer that stands still is given up
     * @param streams whether answers that are streams are passed on
     * @param upgrades what happens to requests to change to WebSocket
     */
    public record Upstream(
            URI url, Map<String, String> headers, Duration timeout, Duration idle, boolean streams, Upgrades upgrades) {
        public Upstream {
            headers = Map.copyOf(headers);
        }

        /** Without the values of headers. */
        @Override
        public String toString() {
            return "Upstream[" + url.getScheme() + "://" + url.getRawAuthority() + ", headers " + headers.keySet()
                    + ", timeout " + timeout + ", idle " + idle + ", streams " + streams + ", " + upgrades + "]";
        }
    }

    /**
     * WebSocket connections.
     *
     * @param pass whether they are passed on
     * @param connections at once
     * @param longest after which one is closed
     */
    public record Upgrades(boolean pass, int connections, Duration longest) {}

    /**
     * How callers are told apart.
     *
     * @param open the tenant of all callers, whom the upstream authenticates; null where callers need a token of this server
     */
    public record Callers(@Nullable Tenant open) {}

    /**
     * How requests under a key are run.
     *
     * @param required whether POST, PUT, PATCH and DELETE need a key
     * @param repeatable whether the upstream honours Idempotency-Key, so that an interrupted request may be sent again
     * @param probe the path of the upstream that says whether an interrupted request took effect; null for none
     * @param templates the routes below the path
     */
    public record KeyedRequests(
            boolean required, boolean repeatable, @Nullable String probe, String policy, List<String> templates) {
        public KeyedRequests {
            templates = List.copyOf(templates);
        }
    }

    /**
     * @param requestBytes largest body of a request
     * @param responseBytes largest body of a response that is kept for replays
     * @param requests at once
     */
    public record GatewayLimits(int requestBytes, int responseBytes, int requests) {}
}
