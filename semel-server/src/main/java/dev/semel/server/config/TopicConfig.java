package dev.semel.server.config;

/**
 * A name of the HTTP API from which routes start: messages that clients send to it are routed as webhooks are.
 *
 * @param name as in routes, and as clients call it in {@code /api/v1/channels/NAME/messages}
 * @param policy of the channel that routes its messages
 */
public record TopicConfig(String name, String policy) {}
