package dev.semel.server.api;

import dev.semel.Channel;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Sent;
import dev.semel.console.rest.StrictJson;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.routing.TopicMessage;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where messages go that clients send to a name: into the channel of that name, or, where routes start from it, to the router. */
sealed interface MessageTarget {
    /** Where a message is found later. */
    Operation<?, Void> operation();

    List<Sent> sendAll(Semel semel, List<Message<Json>> messages);

    default Sent send(Semel semel, Message<Json> message) {
        return sendAll(semel, List.of(message)).get(0);
    }

    /** The channel of the name, whose messages are claimed by a consumer. */
    record Consumed(Channel.Leased<Json> channel) implements MessageTarget {
        @Override
        public Operation<?, Void> operation() {
            return channel.operation();
        }

        @Override
        public Sent send(Semel semel, Message<Json> message) {
            return semel.send(channel, message);
        }

        @Override
        public List<Sent> sendAll(Semel semel, List<Message<Json>> messages) {
            return semel.sendAll(channel, messages);
        }
    }

    /** The channel of a topic, whose messages are routed to destinations as webhooks are. */
    record Routed(String topic, Channel.Atomic<Webhook> channel) implements MessageTarget {
        private static final byte[] NULL = {'n', 'u', 'l', 'l'};

        @Override
        public Operation<?, Void> operation() {
            return channel.operation();
        }

        @Override
        public Sent send(Semel semel, Message<Json> message) {
            return semel.send(channel, routable(message));
        }

        @Override
        public List<Sent> sendAll(Semel semel, List<Message<Json>> messages) {
            return semel.sendAll(channel, messages.stream().map(this::routable).toList());
        }

        private Message<Webhook> routable(Message<Json> message) {
            @Nullable Json payload = message.payload();
            byte[] body = payload == null ? NULL : StrictJson.EXACT.writeValueAsBytes(payload.value());
            Webhook webhook = TopicMessage.of(
                    topic,
                    body,
                    payload == null ? null : payload.lane(),
                    message.when().deadline(),
                    Instant.now());
            return new Message<>(message.tenant(), message.key(), webhook, message.origin(), message.when());
        }
    }
}
