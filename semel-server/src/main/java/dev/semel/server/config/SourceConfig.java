package dev.semel.server.config;

import dev.semel.http.ingress.WebhookSource;

/**
 * A sender of webhooks, and where it sends them.
 *
 * @param path begins with a slash; an exact path, without wildcards
 * @param source signature, key, lane, tenant and size limit
 * @param policy of the channel that routes its webhooks; its retention must cover the sender's redeliveries
 */
public record SourceConfig(String path, WebhookSource source, String policy) {

    /** As in routes, metrics and the CLI. */
    public String name() {
        return source.name();
    }
}
