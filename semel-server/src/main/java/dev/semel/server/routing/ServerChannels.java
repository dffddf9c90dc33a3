package dev.semel.server.routing;

import dev.semel.Channel;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.SourceConfig;
import java.util.regex.Pattern;

/** The channels of a server. Their names are part of each message's identity, so a source or destination that is renamed is a new one. */
public final class ServerChannels {
    private static final String SOURCE = "source.";
    private static final String DESTINATION = "destination.";

    /** Of the engine, such as an operator's replays. */
    private static final String ENGINE = "semel.";

    /** As the filter names the operations of a gateway: method and route. */
    private static final Pattern REQUEST = Pattern.compile("[A-Z]+ /.*", Pattern.DOTALL);

    private ServerChannels() {}

    /** Whether a channel or operation of this name is the server's own, or the engine's. */
    public static boolean isReserved(String name) {
        return name.startsWith(SOURCE)
                || name.startsWith(DESTINATION)
                || name.startsWith(ENGINE)
                || REQUEST.matcher(name).matches();
    }

    /** Webhooks as they came in, until they are routed. */
    public static Channel.Atomic<Webhook> of(SourceConfig source) {
        return Webhook.atomic(SOURCE + source.name()).withPolicy(source.policy());
    }

    /** Webhooks on their way to a destination. */
    public static Channel.Leased<Webhook> of(DestinationConfig destination) {
        Channel.Leased<Webhook> channel =
                Webhook.leased(DESTINATION + destination.name()).withPolicy(destination.policy());
        return destination.ordered() ? channel : channel.withLane(any -> null);
    }
}
