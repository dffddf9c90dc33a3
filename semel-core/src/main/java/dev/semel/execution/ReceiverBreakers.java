package dev.semel.execution;

import dev.semel.Channel;
import dev.semel.Operation;
import dev.semel.time.TimeSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The breakers of this node, one for each operation that has one: its calls and its deliveries share it. Thread-safe. */
public final class ReceiverBreakers {
    private final Map<String, ReceiverBreaker> breakers = new ConcurrentHashMap<>();
    private final TimeSource time;

    ReceiverBreakers(TimeSource time) {
        this.time = time;
    }

    ReceiverBreaker of(Operation.Definition<?, ?> definition) {
        return of(definition.name(), definition.guards().breaker());
    }

    /** How all of them stand, by name. */
    public Map<String, BreakerStanding> standings() {
        return breakers.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, each -> each.getValue().standing()));
    }

    /** The breaker of this name, made by the settings that are given first. */
    public ReceiverBreaker of(String name, Channel.Breaker settings) {
        if (settings.failurePercent() == 0) {
            return ReceiverBreaker.NONE;
        }
        ReceiverBreaker known = breakers.get(name);
        return known != null
                ? known
                : breakers.computeIfAbsent(name, each -> new ReceiverBreaker(each, settings, time));
    }
}
