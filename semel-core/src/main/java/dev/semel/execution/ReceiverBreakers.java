package dev.semel.execution;

import dev.semel.Channel;
import dev.semel.Operation;
import dev.semel.time.TimeSource;
import java.util.Map;
import java.util.Set;
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

    /** The names of those that do not let all calls through now. */
    public Set<String> open() {
        return breakers.entrySet().stream()
                .filter(each -> !each.getValue().isClosed())
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
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
