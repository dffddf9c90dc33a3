package dev.semel.store;

import dev.semel.time.TimeSource;
import dev.semel.watch.Watch;
import java.util.Optional;
import java.util.OptionalLong;

/** Any store, with a watch that is told how long what calls and workers wait for takes. */
public final class WatchedStore implements Store {
    private final Store store;
    private final Timing timing;

    private WatchedStore(Store store, Timing timing) {
        this.store = store;
        this.timing = timing;
    }

    /** The store itself when nobody watches. */
    public static Store of(Store store, Watch watch, TimeSource time) {
        return watch == Watch.NONE ? store : new WatchedStore(store, new Timing(watch, engine(store.name()), time));
    }

    /** The kind without the place. */
    private static String engine(String name) {
        int end = name.indexOf(':');
        return end < 0 ? name : name.substring(0, end);
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public Ledger ledger() {
        return new WatchedLedger(store.ledger(), timing);
    }

    @Override
    public AuditLog audit() {
        return store.audit();
    }

    @Override
    public Switchboard switchboard() {
        return store.switchboard();
    }

    @Override
    public Optional<Transactions> transactions() {
        return store.transactions().map(transactions -> new WatchedTransactions(transactions, timing));
    }

    @Override
    public Optional<Queue> queue() {
        return store.queue().map(queue -> new WatchedQueue(queue, timing));
    }

    @Override
    public Optional<Signals> signals() {
        return store.signals();
    }

    @Override
    public Optional<Permits> permits() {
        return store.permits().map(permits -> new WatchedPermits(permits, timing));
    }

    @Override
    public Optional<ActivityLog> activity() {
        return store.activity();
    }

    @Override
    public OptionalLong bytes() {
        return store.bytes();
    }

    @Override
    public OptionalLong auditBytes() {
        return store.auditBytes();
    }

    @Override
    public Inspection inspect() {
        return store.inspect();
    }

    @Override
    public void close() {
        store.close();
    }
}
