package dev.semel.testkit.sim;

import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.FencedReceiver;
import dev.semel.testkit.history.History;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outside world that leased handlers reach: it checks keys and fences, and gives the same receipt for the same key. Of a
 * lane it takes in nothing under a fence lower than one that it has seen in the lane: a handler that was paused before its
 * call could otherwise come after those behind it, if the run that took over ended without a call.
 */
final class ExternalService {
    private final FencedReceiver sink;
    private final Map<String, String> receipts = new HashMap<>();
    private final Map<String, Long> lanes = new HashMap<>();
    private final Map<String, Long> barred = new HashMap<>();
    private final Map<String, String> keys = new HashMap<>();
    private final Map<String, Integer> deliveries = new HashMap<>();
    private int number;

    ExternalService(History history) {
        this.sink = FencedReceiver.inMemory(history);
    }

    /** The receipt, or nothing when the delivery came too late to be taken in. */
    @Nullable
    String deliver(String record, Event.Grant grant, String payload, Event.@Nullable Place place) {
        long fence = grant.fence();
        if (fence <= barred.getOrDefault(record, -1L)) {
            return null;
        }
        if (place != null && lanes.merge(place.lane(), fence, Math::max) > fence) {
            return null;
        }
        try {
            Event.Reception reception = sink.deliver(new FencedReceiver.Delivery(
                    record, fence, grant.attempt(), payload.getBytes(StandardCharsets.UTF_8), place));
            if (reception == Event.Reception.REFUSED) {
                return null;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        deliveries.merge(record, 1, Integer::sum);
        return receipts.computeIfAbsent(record, key -> payload + "#" + ++number);
    }

    /** Remembers under which key something was asked for. */
    void given(String key, String record) {
        keys.put(key, record);
    }

    /** For which record the key was given; nothing when it never was. */
    @Nullable
    String givenWith(String key) {
        return keys.get(key);
    }

    @Nullable
    String receipt(String record) {
        return receipts.get(record);
    }

    /** From now on nothing under this fence or a lower one is taken in, so that "it never will" can be promised. */
    void bar(String record, long fence) {
        barred.merge(record, fence, Math::max);
    }

    /** The key is new again; a run that still uses the old one is too late. */
    void forget(String record, long fence) {
        receipts.remove(record);
        bar(record, fence);
    }

    /** How often the record was delivered and taken in, repetitions included. */
    int deliveries(String record) {
        return deliveries.getOrDefault(record, 0);
    }
}
