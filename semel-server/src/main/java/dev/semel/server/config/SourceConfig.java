package dev.semel.server.config;

import dev.semel.http.ingress.WebhookSource;

/**
 * A sender of webhooks, and where it sends them.
 *
 * @param path begins with a slash; an exact path, without wildcards
 * @param source signature, key, lane, tenant and size limit
 * @param policy of the channel that routes its webhooks; its retention must cover the sender's redeliveries
 * @param withParts whether paths below it are the source's, too, because its key, lane or tenant is a part of the path
 */
public record SourceConfig(String path, WebhookSource source, String policy, boolean withParts) {

    /** With an exact path. */
    public SourceConfig(String path, WebhookSource source, String policy) {
        this(path, source, policy, false);
    }

    /** As in routes, metrics and the CLI. */
    public String name() {
        return source.name();
    }

    /** Without the path, which is hard to guess on purpose. */
    @Override
    public String toString() {
        return "SourceConfig[" + source + ", policy " + policy + "]";
    }
}
