package dev.semel.server.routing;

import dev.semel.Channel;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.SourceConfig;

/** The channels of a server. Their names are part of each message's identity, so a source or destination that is renamed is a new one. */
public final class ServerChannels {
    private ServerChannels() {}

    /** Webhooks as they came in, until they are routed. */
    public static Channel.Atomic<Webhook> of(SourceConfig source) {
        return Webhook.atomic("source." + source.name()).withPolicy(source.policy());
    }

    /** Webhooks on their way to a destination. */
    public static Channel.Leased<Webhook> of(DestinationConfig destination) {
        Channel.Leased<Webhook> channel =
                Webhook.leased("destination." + destination.name()).withPolicy(destination.policy());
        return destination.ordered() ? channel : channel.withLane(any -> null);
    }
}
