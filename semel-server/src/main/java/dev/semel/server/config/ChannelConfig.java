package dev.semel.server.config;

/**
 * A channel of the HTTP API.
 *
 * @param policy by its name
 * @param ordered whether messages keep to the lanes that they are sent to
 * @param repeatable whether a message whose worker was interrupted is handled again; otherwise it is UNKNOWN
 */
public record ChannelConfig(String name, String policy, boolean ordered, boolean repeatable) {}
