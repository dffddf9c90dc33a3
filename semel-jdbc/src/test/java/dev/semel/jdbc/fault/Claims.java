package dev.semel.jdbc.fault;

import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A store that remembers of each grant when its claim was asked for. */
final class Claims extends ForwardingStore {
    private final Map<Granted, Long> asked = new ConcurrentHashMap<>();
    private final Queue queue;

    private record Granted(String downstreamKey, long fence) {}

    Claims(Store delegate, Slip slip) {
        super(delegate);
        queue = new ForwardingQueue(delegate.queue().orElseThrow()) {
            @Override
            public Claimed claim(Claim claim) {
                long now = System.nanoTime();
                Claimed claimed = slip.claimed(super.claim(claim));
                for (Row row : claimed.rows()) {
                    asked.put(new Granted(row.id().downstreamKey(), row.status().fence()), now);
                }
                return claimed;
            }
        };
    }

    @Override
    public Optional<Queue> queue() {
        return Optional.of(queue);
    }

    /** By the monotonic clock; told once. */
    long asked(String downstreamKey, long fence) {
        return Objects.requireNonNull(asked.remove(new Granted(downstreamKey, fence)), "never granted");
    }
}
