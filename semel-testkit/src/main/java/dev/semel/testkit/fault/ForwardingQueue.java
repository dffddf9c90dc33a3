package dev.semel.testkit.fault;

import dev.semel.store.Arrival;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Enqueued;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Hands everything on. */
public abstract class ForwardingQueue implements Queue {
    private final Queue delegate;

    protected ForwardingQueue(Queue delegate) {
        this.delegate = delegate;
    }

    protected final Queue delegate() {
        return delegate;
    }

    @Override
    public List<Enqueued> enqueue(List<Arrival> batch) {
        return delegate.enqueue(batch);
    }

    @Override
    public Claimed claim(Claim claim) {
        return delegate.claim(claim);
    }

    @Override
    public List<Row> heldBy(String operation, long owner) {
        return delegate.heldBy(operation, owner);
    }

    @Override
    public Optional<Row> head(long lane) {
        return delegate.head(lane);
    }

    @Override
    public List<Row> unknownHeads(String operation, int limit) {
        return delegate.unknownHeads(operation, limit);
    }

    @Override
    public Set<String> operations() {
        return delegate.operations();
    }

    @Override
    public Backlog backlog(String operation) {
        return delegate.backlog(operation);
    }
}
