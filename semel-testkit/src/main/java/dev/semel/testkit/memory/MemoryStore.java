package dev.semel.testkit.memory;

import dev.semel.store.ActivityLog;
import dev.semel.store.AuditLog;
import dev.semel.store.Inspection;
import dev.semel.store.Ledger;
import dev.semel.store.Permits;
import dev.semel.store.Queue;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The ledger in the memory of one process, for tests and for work that need not outlive it: class C. Linearizable; one lock
 * guards everything.
 */
public final class MemoryStore implements Store {
    private final MemoryState state;
    private final MemoryLedger ledger;
    private final MemoryAudit audit;
    private final MemorySwitchboard switchboard;
    private final MemoryTransactions transactions;
    private final MemoryPermits permits;
    private final MemoryActivity activity;
    private final MemoryQueue queue;

    public MemoryStore(TimeSource time) {
        this.state = new MemoryState(time);
        this.ledger = new MemoryLedger(state);
        this.audit = new MemoryAudit(state);
        this.switchboard = new MemorySwitchboard(state);
        this.transactions = new MemoryTransactions(state);
        this.queue = new MemoryQueue(state);
        this.permits = new MemoryPermits(state);
        this.activity = new MemoryActivity(state);
    }

    @Override
    public String name() {
        return "memory:";
    }

    @Override
    public Ledger ledger() {
        return ledger;
    }

    @Override
    public AuditLog audit() {
        return audit;
    }

    @Override
    public Switchboard switchboard() {
        return switchboard;
    }

    @Override
    public Optional<Transactions> transactions() {
        return Optional.of(transactions);
    }

    @Override
    public Optional<Queue> queue() {
        return Optional.of(queue);
    }

    @Override
    public Optional<Permits> permits() {
        return Optional.of(permits);
    }

    @Override
    public Optional<ActivityLog> activity() {
        return Optional.of(activity);
    }

    /** The values that atomic handlers have committed through {@link MemoryTable}. */
    public Map<String, String> table() {
        return state.locked(() -> Map.copyOf(state.table));
    }

    @Override
    public Inspection inspect() {
        return new Inspection(
                Inspection.Guarantee.C,
                List.of(new Inspection.CheckedSetting(
                        "durability",
                        "none",
                        Inspection.Guarantee.C,
                        "Use sqlite:<file> or postgresql://... for work that must outlive the process.")));
    }

    @Override
    public void close() {}

    /** Opens {@code memory:}; each opening is a ledger of its own. */
    public static final class MemoryStoreProvider implements StoreProvider {
        @Override
        public String engine() {
            return "memory";
        }

        @Override
        public String example() {
            return "memory:";
        }

        @Override
        public boolean accepts(String url) {
            return url.equals("memory:");
        }

        @Override
        public Store open(String url, Options options) {
            return new MemoryStore(options.time() == null ? TimeSource.system() : options.time());
        }
    }
}
