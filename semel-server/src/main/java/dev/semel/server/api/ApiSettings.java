package dev.semel.server.api;

import dev.semel.Channel;
import dev.semel.Operation;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.ChannelConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The policies and limits of the API.
 *
 * @param policies names of policies by the names of operations and channels: a whole name, or the beginning of names and {@code *}.
 *     A whole name goes before a beginning, a longer beginning before a shorter one; others have the policy {@code default}
 * @param channels those that are configured, by name; others are repeatable, keep to lanes, and have the policy of their name
 * @param largestBody of a request, in bytes
 * @param longestWait how long a request may wait for another run, or for messages
 * @param waiting how many requests may wait at a time; others are answered without waiting
 * @param topics channels of the names from which routes start
 */
public record ApiSettings(
        Map<String, String> policies,
        Map<String, ChannelConfig> channels,
        int largestBody,
        Duration longestWait,
        int waiting,
        Map<String, Channel.Atomic<Webhook>> topics) {
    /** The policy {@code default}, bodies of 1 MiB, and 64 requests that wait for up to 20 s. */
    public static final ApiSettings DEFAULT =
            new ApiSettings(Map.of(), Map.of(), 1 << 20, Duration.ofSeconds(20), 64, Map.of());

    public ApiSettings {
        policies = Map.copyOf(policies);
        channels = Map.copyOf(channels);
        topics = Map.copyOf(topics);
    }

    /** With these policies instead. */
    public ApiSettings withPolicies(Map<String, String> values) {
        return new ApiSettings(values, channels, largestBody, longestWait, waiting, topics);
    }

    /** With these channels instead. */
    public ApiSettings withChannels(List<ChannelConfig> values) {
        Map<String, ChannelConfig> byName =
                values.stream().collect(Collectors.toMap(ChannelConfig::name, Function.identity()));
        return new ApiSettings(policies, byName, largestBody, longestWait, waiting, topics);
    }

    /** With these names from which routes start, and the channels of their messages. */
    public ApiSettings withTopics(Map<String, Channel.Atomic<Webhook>> values) {
        return new ApiSettings(policies, channels, largestBody, longestWait, waiting, values);
    }

    /** Where messages of this name go. */
    MessageTarget target(String name) {
        Channel.Atomic<Webhook> topic = topics.get(name);
        return topic == null ? new MessageTarget.Consumed(channel(name)) : new MessageTarget.Routed(name, topic);
    }

    private String policy(String name) {
        String exact = policies.get(name);
        if (exact != null) {
            return exact;
        }
        Optional<String> longest = policies.keySet().stream()
                .filter(each -> each.endsWith("*") && name.startsWith(each.substring(0, each.length() - 1)))
                .max(java.util.Comparator.comparingInt(String::length));
        return longest.map(policies::get).orElse("default");
    }

    Operation.Leased<Json, Json> operation(String name, boolean repeatable) {
        Operation.Leased<Json, Json> operation =
                Operation.leased(name, Json.class, Json.class).withPolicy(policy(name));
        return repeatable ? operation.asRepeatable() : operation.asUnrepeatable();
    }

    Channel.Leased<Json> channel(String name) {
        Channel.Leased<Json> channel = Channel.leased(name, Json.class);
        ChannelConfig configured = channels.get(name);
        if (configured == null) {
            return channel.withPolicy(policy(name)).withLane(Json::lane);
        }
        Channel.Leased<Json> declared = channel.withPolicy(configured.policy());
        Channel.Leased<Json> ordered = configured.ordered() ? declared.withLane(Json::lane) : declared;
        return configured.repeatable() ? ordered : ordered.asUnrepeatable();
    }
}
