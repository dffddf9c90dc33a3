package dev.semel.store;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A queue whose steps are timed. */
record WatchedQueue(Queue queue, Timing timing) implements Queue {
    @Override
    public List<Enqueued> enqueue(List<Arrival> batch) {
        return timing.of("enqueue", () -> queue.enqueue(batch));
    }

    @Override
    public Claimed claim(Claim claim) {
        return timing.of("claim", () -> queue.claim(claim));
    }

    @Override
    public List<Row> heldBy(String operation, long owner) {
        return queue.heldBy(operation, owner);
    }

    @Override
    public Optional<Row> head(long lane) {
        return queue.head(lane);
    }

    @Override
    public List<Row> unknownHeads(String operation, int limit) {
        return queue.unknownHeads(operation, limit);
    }

    @Override
    public Set<String> operations() {
        return queue.operations();
    }

    @Override
    public Backlog backlog(String operation) {
        return timing.of("backlog", () -> queue.backlog(operation));
    }
}
