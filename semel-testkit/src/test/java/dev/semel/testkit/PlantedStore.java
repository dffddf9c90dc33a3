package dev.semel.testkit;

import dev.semel.key.Identity;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditLog;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Enqueued;
import dev.semel.store.Ledger;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Queue;
import dev.semel.store.RecordFilter;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import dev.semel.store.Seal;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingAuditLog;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingSwitchboard;
import dev.semel.testkit.fault.ForwardingTransactions;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A store with one bug in it. */
final class PlantedStore extends ForwardingStore {
    private final StoreBug bug;
    private final TimeSource time;

    PlantedStore(StoreBug bug, TimeSource time) {
        super(new MemoryStore(time));
        this.bug = bug;
        this.time = time;
    }

    @Override
    public Ledger ledger() {
        return new PlantedLedger(bug, delegate(), time);
    }

    @Override
    public AuditLog audit() {
        return new ForwardingAuditLog(super.audit()) {
            @Override
            public boolean add(Seal seal) {
                return super.add(seal) || bug == StoreBug.SEAL_OUT_OF_SEQUENCE;
            }
        };
    }

    @Override
    public Switchboard switchboard() {
        return new ForwardingSwitchboard(super.switchboard()) {
            @Override
            public int adopt(Function<Row, AuditEntry> forRecord, AuditEntry adoption) {
                return bug == StoreBug.ADOPTION_WITHOUT_EPOCH ? 2 : super.adopt(forRecord, adoption);
            }
        };
    }

    @Override
    public Optional<Queue> queue() {
        return super.queue().map(queue -> new ForwardingQueue(queue) {
            @Override
            public List<Enqueued> enqueue(List<Arrival> batch) {
                return bug == StoreBug.MESSAGE_NOT_STORED
                        ? batch.stream()
                                .map(arrival -> (Enqueued) new Enqueued.Made())
                                .toList()
                        : super.enqueue(batch);
            }

            @Override
            public List<Row> heldBy(String operation, long owner) {
                return bug == StoreBug.HELD_BY_ANYBODY
                        ? ledger().list(
                                        State.IN_PROGRESS,
                                        new RecordFilter(null, operation, true, Long.MAX_VALUE),
                                        RecordFilter.Cursor.START,
                                        100)
                        : super.heldBy(operation, owner);
            }

            @Override
            public Claimed claim(Claim claim) {
                long version = bug == StoreBug.CLAIM_UNDER_OLD_MODES
                        ? switchboard().modes().version()
                        : claim.modesVersion();
                Reservation.Grant grant = claim.grant();
                boolean repeatable = grant.repeatable() || bug == StoreBug.CLAIM_OF_THE_UNREPEATABLE;
                return super.claim(new Claim(
                        claim.operation(),
                        version,
                        new Reservation.Grant(grant.owner(), grant.leaseMillis(), repeatable, grant.maxAttempts()),
                        claim.amount(),
                        claim.turns(),
                        claim.takenOver()));
            }
        });
    }

    /** Takes a record that is due for absent, as it would be if only what runs or is finished counted. */
    static LookupResult withoutDue(LookupResult lookup) {
        boolean due = lookup instanceof LookupResult.Found found && found.row().state() == State.FAILED_RETRYABLE;
        return due ? new LookupResult.Free() : lookup;
    }

    /** Takes the end that an earlier transaction wrote for this one's own. */
    static Moved sameAsApplied(Moved moved) {
        return moved instanceof Moved.Same ? new Moved.Applied() : moved;
    }

    @Override
    public Optional<Transactions> transactions() {
        return super.transactions().map(transactions -> new ForwardingTransactions(transactions) {
            @Override
            public <T> T run(Work<T> work) throws Exception {
                return super.run(tx -> {
                    Ended<T> ended = work.run(tx);
                    return bug == StoreBug.ACKNOWLEDGED_BEFORE_COMMIT ? Ended.undo(ended.value()) : ended;
                });
            }

            @Override
            protected Tx wrap(Tx tx) {
                return new ForwardingTx(tx) {
                    @Override
                    public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
                        List<LookupResult> lookups = super.lookUp(modesVersion, identities);
                        return bug == StoreBug.DUE_NEIGHBOUR_TAKEN_FOR_ABSENT
                                ? lookups.stream().map(PlantedStore::withoutDue).toList()
                                : lookups;
                    }

                    @Override
                    public List<Moved> move(List<Move> moves) {
                        List<Moved> moved = super.move(moves);
                        return bug == StoreBug.EARLIER_FINISH_WRITTEN_OVER
                                ? moved.stream()
                                        .map(PlantedStore::sameAsApplied)
                                        .toList()
                                : moved;
                    }

                    @Override
                    public <T> T part(Part<T> part) throws Exception {
                        return bug == StoreBug.PART_NOT_UNDONE ? part.run().value() : super.part(part);
                    }
                };
            }
        });
    }
}
