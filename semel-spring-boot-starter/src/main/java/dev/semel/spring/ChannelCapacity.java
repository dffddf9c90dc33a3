package dev.semel.spring;

import dev.semel.Channel;

/**
 * The capacity of this node for a channel. Declare a bean of this type to set more than a number of handlers, such as a rate
 * limit or a circuit breaker for a receiver that keeps failing.
 *
 * @param channel the name in its {@link SemelChannel}
 */
public record ChannelCapacity(String channel, Channel.Capacity capacity) {}
