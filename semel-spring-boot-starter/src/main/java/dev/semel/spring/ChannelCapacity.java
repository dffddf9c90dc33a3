package dev.semel.spring;

import dev.semel.Channel;

/**
 * How much of a channel this node handles: a bean of it, where more is to be said than a number of handlers, such as a rate for
 * each second or a breaker that spares a receiver which keeps failing.
 *
 * @param channel the name that its {@link SemelChannel} has
 */
public record ChannelCapacity(String channel, Channel.Capacity capacity) {}
