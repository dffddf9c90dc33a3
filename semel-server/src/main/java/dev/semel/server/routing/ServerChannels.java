package dev.semel.server.routing;

import dev.semel.Channel;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.SourceConfig;
import dev.semel.server.config.TopicConfig;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The channels of a server. Their names are part of each message's identity, so a source, topic or destination that is renamed is a new
 * one.
 */
public final class ServerChannels {
    private static final String SOURCE = "source.";
    private static final String TOPIC = "topic.";
    private static final String DESTINATION = "destination.";

    /** Also those of Semel itself, such as the jobs of operators: a client could have them do what its token does not allow. */
    private static final List<String> RESERVED = List.of(SOURCE, TOPIC, DESTINATION, "semel.");

    /** As the filter names the operations of a gateway: method and route. */
    private static final Pattern REQUEST = Pattern.compile("[A-Z]+ /.*", Pattern.DOTALL);

    private ServerChannels() {}

    /** Whether a channel or operation of this name is the server's own, or the engine's. */
    public static boolean isReserved(String name) {
        return RESERVED.stream().anyMatch(name::startsWith)
                || REQUEST.matcher(name).matches();
    }

    /** Webhooks as they came in, until they are routed. */
    public static Channel.Atomic<Webhook> of(SourceConfig source) {
        return Webhook.atomic(SOURCE + source.name()).withPolicy(source.policy());
    }

    /**
     * Messages of clients, until they are routed. The channel is not that of the same name: messages that were sent there before
     * routes started from it are another payload, for consumers that claim them.
     */
    public static Channel.Atomic<Webhook> of(TopicConfig topic) {
        return Webhook.atomic(TOPIC + topic.name()).withPolicy(topic.policy());
    }

    /** The name of a destination's channel. */
    public static String destination(String name) {
        return DESTINATION + name;
    }

    /** The name of the destination whose channel this is; empty when it is none's. */
    public static Optional<String> destinationOf(String channel) {
        return channel.startsWith(DESTINATION)
                ? Optional.of(channel.substring(DESTINATION.length()))
                : Optional.empty();
    }

    /** Webhooks on their way to a destination. */
    public static Channel.Leased<Webhook> of(DestinationConfig destination) {
        Channel.Leased<Webhook> channel =
                Webhook.leased(destination(destination.name())).withPolicy(destination.policy());
        return destination.ordered() ? channel : channel.withLane(any -> null);
    }
}
