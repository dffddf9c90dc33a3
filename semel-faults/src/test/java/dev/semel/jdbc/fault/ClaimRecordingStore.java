package dev.semel.jdbc.fault;

import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingSwitchboard;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that records the amounts of its claims and the times of grants. */
final class ClaimRecordingStore extends ForwardingStore {
    /** The thread of a worker that claims. */
    private static final String CLAIMING = "semel-claims";

    private final Map<Granted, Long> asked = new ConcurrentHashMap<>();
    private final List<Integer> amounts = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger empty = new AtomicInteger();
    private final FleetBug.Cursor cursor = new FleetBug.Cursor();
    private final AtomicInteger failures = new AtomicInteger();
    private final Queue queue;

    private record Granted(String downstreamKey, long fence) {}

    /** @param operation of which the amounts are kept */
    ClaimRecordingStore(Store delegate, String operation, FleetBug slip) {
        super(delegate);
        queue = new ForwardingQueue(delegate.queue().orElseThrow()) {
            @Override
            public Claimed claim(Claim claim) {
                long now = System.nanoTime();
                boolean counts = claim.operation().equals(operation);
                Claim asking = slip.asked(claim);
                if (counts) {
                    amounts.add(asking.amount().records());
                }
                Claimed claimed;
                try {
                    claimed = slip.claimed(super.claim(asking), cursor);
                    if (counts) {
                        cursor.read(claimed);
                        empty.addAndGet(FleetBug.nothing(claimed) ? 1 : 0);
                    }
                } catch (RuntimeException e) {
                    failures.incrementAndGet();
                    amounts.clear();
                    throw e;
                }
                for (Row row : claimed.rows()) {
                    asked.put(new Granted(row.id().downstreamKey(), row.status().fence()), now);
                }
                return claimed;
            }
        };
    }

    /** Asked before each claim, unless it is known. */
    @Override
    public Switchboard switchboard() {
        return new ForwardingSwitchboard(delegate().switchboard()) {
            @Override
            public Modes modes() {
                try {
                    return super.modes();
                } catch (RuntimeException e) {
                    // Other threads use the store too, and their failures do not concern the claims.
                    if (Thread.currentThread().getName().equals(CLAIMING)) {
                        failures.incrementAndGet();
                    }
                    throw e;
                }
            }
        };
    }

    @Override
    public Optional<Queue> queue() {
        return Optional.of(queue);
    }

    void forgetAmounts() {
        amounts.clear();
    }

    /** How many records each claim asked for since one failed. */
    List<Integer> amounts() {
        return List.copyOf(amounts);
    }

    /** How many claims found nothing. */
    int empty() {
        return empty.get();
    }

    /** The number of failed claims. */
    int failures() {
        return failures.get();
    }

    /** By the monotonic clock; told once. */
    long asked(String downstreamKey, long fence) {
        return Objects.requireNonNull(asked.remove(new Granted(downstreamKey, fence)), "never granted");
    }
}
