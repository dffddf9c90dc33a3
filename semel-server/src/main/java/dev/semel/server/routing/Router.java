package dev.semel.server.routing;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.Message;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.ServerConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Routes the webhooks of one source, or the messages of one topic: one message for each destination, in the commit that completes the
 * webhook in its channel. Their keys are derived from the webhook's record, so a destination gets a webhook once, however often it is
 * routed. Thread-safe.
 */
public final class Router implements Channel.AtomicDelivery<Webhook> {
    private final RouteTable routes;
    private final boolean topic;
    private final Map<String, Channel.Leased<Webhook>> destinations = new HashMap<>();

    /** @param from name of a source or topic */
    public Router(ServerConfig config, String from) {
        this.routes = RouteTable.from(config, from);
        this.topic = config.topics().stream().anyMatch(each -> each.name().equals(from));
        for (DestinationConfig destination : config.destinations()) {
            destinations.put(destination.name(), ServerChannels.of(destination));
        }
    }

    @Override
    public void handle(Webhook webhook, AtomicContext tx) {
        for (String name : routes.destinationsOf(webhook)) {
            Message<Webhook> message =
                    Message.of(tx.tenant(), tx.key(name), webhook).withCorrelationId(tx.correlationId());
            tx.send(Objects.requireNonNull(destinations.get(name)), limited(message, webhook));
        }
    }

    private Message<Webhook> limited(Message<Webhook> message, Webhook webhook) {
        return topic ? TopicMessage.deadline(webhook).map(message::withDeadline).orElse(message) : message;
    }
}
