package dev.semel.console.admin;

import dev.semel.execution.BreakerStanding;
import dev.semel.operator.Overviews;
import dev.semel.operator.ReadingNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How fast channels are handled, and their breakers on the node that answers. */
record ChannelActivity(Map<String, Double> rates, Map<String, BreakerStanding> breakers, String node) {
    /** @param tenant whose messages; a breaker concerns all tenants, so whoever belongs to one is told of none */
    static ChannelActivity of(Overviews overviews, @Nullable String tenant) {
        ReadingNode node = overviews.node();
        return new ChannelActivity(
                overviews.rates().perMinute(tenant), tenant == null ? node.breakers() : Map.of(), node.name());
    }

    void addTo(Map<String, Object> facts, String channel) {
        facts.put("handled_per_minute", rates.getOrDefault(channel, 0.0));
        BreakerStanding breaker = breakers.get(channel);
        if (breaker != null) {
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("state", breaker.phase().code());
            told.put("since", breaker.since().toString());
            told.put("node", node);
            facts.put("breaker", told);
        }
    }
}
