package dev.semel.testkit.sim;

import dev.semel.Mode;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Enqueued;
import dev.semel.store.Header;
import dev.semel.store.Ledger;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Permits;
import dev.semel.store.Queue;
import dev.semel.store.RecordWrite;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingSwitchboard;
import dev.semel.testkit.fault.ForwardingTransactions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Sees every call of the store in the order in which they took place, and shows the {@link RecordJournal} what each one changed. */
final class Observer {
    private final Store shared;
    private final RecordJournal book;
    private final Consumer<Row> grants;
    private final PermitJournal permits;

    /** @param grants told of each record that a claim granted */
    Observer(Store shared, RecordJournal book, Consumer<Row> grants, PermitJournal permits) {
        this.permits = permits;
        this.shared = shared;
        this.book = book;
        this.grants = grants;
    }

    Store watching(Store store) {
        return new ForwardingStore(store) {
            @Override
            public Ledger ledger() {
                return new WatchedLedger(delegate().ledger());
            }

            @Override
            public Switchboard switchboard() {
                return new WatchedSwitchboard(delegate().switchboard());
            }

            @Override
            public Optional<Transactions> transactions() {
                return delegate().transactions().map(WatchedTransactions::new);
            }

            @Override
            public Optional<Queue> queue() {
                return delegate().queue().map(WatchedQueue::new);
            }

            @Override
            public Optional<Permits> permits() {
                return delegate().permits().map(permits::watching);
            }

            @Override
            public void close() {}
        };
    }

    /** Messages that are known from now on, and may be made by the call. */
    private void know(List<Arrival> batch) {
        batch.forEach(arrival -> book.know(arrival.id(), arrival.header(), false));
    }

    private final class WatchedQueue extends ForwardingQueue {
        WatchedQueue(Queue delegate) {
            super(delegate);
        }

        @Override
        public List<Enqueued> enqueue(List<Arrival> batch) {
            distinct(batch.stream().map(Arrival::id).toList());
            know(batch);
            return seen(RecordJournal.Cause.ARRIVAL, () -> super.enqueue(batch));
        }

        /** Time alone takes nothing away that a claim could grant, so one look is enough, and none if nothing happened. */
        @Override
        public Claimed claim(Claim claim) {
            Claimed claimed = super.claim(claim);
            if (claimed.rows().isEmpty() && !claimed.more()) {
                return claimed;
            }
            book.look(RecordJournal.Cause.CLAIM);
            book.claimed(claimed.rows());
            Switchboard.Modes modes = shared.switchboard().modes();
            for (Row row : claimed.rows()) {
                Header header = row.header();
                if (modes.of(header.tenant(), header.operation()) == Mode.HALTED) {
                    book.wrong(row.id(), "granted while halted");
                }
                boolean paused = modes.pauses().stream()
                        .anyMatch(pause ->
                                pause.probeMillis() == 0 && pause.appliesTo(header.operation(), header.tenant()));
                if (paused) {
                    book.wrong(row.id(), "granted while paused");
                }
                book.granted(row.id(), row.status().fence(), claim.grant().owner());
                grants.accept(row);
            }
            return claimed;
        }
    }

    private Mode mode(String tenant, String operation) {
        return shared.switchboard().modes().of(tenant, operation);
    }

    private <T> T seen(RecordJournal.Cause cause, Supplier<T> call) {
        book.look(RecordJournal.Cause.NOTHING);
        T answer = call.get();
        book.look(cause);
        return answer;
    }

    /** The ports are promised distinct ids in a batch. */
    private void distinct(List<RecordId> ids) {
        Set<RecordId> once = new HashSet<>();
        ids.stream().filter(id -> !once.add(id)).forEach(id -> book.wrong(id, "is in one batch twice"));
    }

    private final class WatchedLedger extends ForwardingLedger {
        WatchedLedger(Ledger delegate) {
            super(delegate);
        }

        @Override
        public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
            distinct(batch.stream().map(each -> each.identity().id()).toList());
            batch.forEach(each -> book.know(each.identity().id(), each.header(), each.parent() != null));
            List<Boolean> parents = batch.stream().map(this::parentHeld).toList();
            List<Boolean> there = batch.stream().map(this::thereIfItMustBe).toList();
            List<Reserved> answers = seen(RecordJournal.Cause.reserve(batch), () -> super.reserve(modesVersion, batch));
            for (int i = 0; i < batch.size(); i++) {
                if (answers.get(i) instanceof Reserved.Granted granted) {
                    if (!there.get(i)) {
                        book.wrong(batch.get(i).identity().id(), "made anew although nobody asked for it any more");
                    }
                    if (modesVersion < 0) {
                        book.wrong(batch.get(i).identity().id(), "granted to a call that only looked it up");
                    }
                    granted(batch.get(i), granted, parents.get(i));
                }
            }
            return answers;
        }

        private boolean thereIfItMustBe(Reservation asked) {
            RecordId id = asked.identity().id();
            return asked.grant().onlyUnder() == 0
                    || shared.ledger().find(List.of(id)).get(id) != null;
        }

        private boolean parentHeld(Reservation asked) {
            Reservation.Parent parent = asked.parent();
            if (parent == null) {
                return true;
            }
            Row row = shared.ledger().find(List.of(parent.id())).get(parent.id());
            return row != null
                    && row.state() == State.IN_PROGRESS
                    && row.status().fence() == parent.fence();
        }

        private void granted(Reservation asked, Reserved.Granted granted, boolean parentHeld) {
            RecordId id = asked.identity().id();
            boolean halted = mode(asked.header().tenant(), asked.header().operation()) == Mode.HALTED;
            if (halted && book.isNew(id, granted.fence())) {
                book.wrong(id, "granted while halted");
            }
            if (!parentHeld) {
                book.wrong(id, "a step was granted to a run that had lost its record");
            }
            book.granted(id, granted.fence(), asked.grant().owner());
        }

        @Override
        public List<Moved> move(List<Move> batch) {
            distinct(batch.stream().map(Move::id).toList());
            return seen(RecordJournal.Cause.move(batch), () -> super.move(batch));
        }

        @Override
        public Moved moveTogether(List<Move> batch) {
            distinct(batch.stream().map(Move::id).toList());
            return seen(RecordJournal.Cause.move(batch), () -> super.moveTogether(batch));
        }

        @Override
        public List<Boolean> renew(List<Renewal> batch) {
            distinct(batch.stream().map(Renewal::id).toList());
            return seen(RecordJournal.Cause.RENEWAL, () -> super.renew(batch));
        }

        @Override
        public Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) {
            return seen(RecordJournal.Cause.PURGE, () -> super.purge(limit, events));
        }
    }

    private final class WatchedSwitchboard extends ForwardingSwitchboard {
        WatchedSwitchboard(Switchboard delegate) {
            super(delegate);
        }

        @Override
        public int adopt(Function<Row, AuditEntry> forRecord, AuditEntry adoption) {
            return seen(RecordJournal.Cause.ADOPTION, () -> super.adopt(forRecord, adoption));
        }
    }

    private final class WatchedTransactions extends ForwardingTransactions {
        WatchedTransactions(Transactions delegate) {
            super(delegate);
        }

        @Override
        public <T> T run(Work<T> work) throws Exception {
            List<Move> moves = new ArrayList<>();
            T value = super.run(tx -> {
                Ended<T> ended = work.run(new MoveRecordingTx(tx, moves));
                book.look(RecordJournal.Cause.NOTHING);
                return ended;
            });
            book.look(RecordJournal.Cause.transaction(moves));
            return value;
        }

        /** Remembers what is moved in the transaction. */
        private final class MoveRecordingTx extends ForwardingTx {
            private final List<Move> moves;

            MoveRecordingTx(Tx delegate, List<Move> moves) {
                super(delegate);
                this.moves = moves;
            }

            @Override
            public List<Moved> move(List<Move> batch) {
                moves.addAll(batch);
                return super.move(batch);
            }

            @Override
            public List<Enqueued> enqueue(List<Arrival> batch) {
                know(batch);
                return super.enqueue(batch);
            }

            @Override
            public Optional<List<Enqueued>> enqueueWithCommit(List<Arrival> batch) {
                know(batch);
                return super.enqueueWithCommit(batch);
            }
        }

        @Override
        protected Tx wrap(Tx tx) {
            return new ForwardingTx(tx) {
                private boolean live = true;

                @Override
                public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
                    book.look(RecordJournal.Cause.NOTHING);
                    List<LookupResult> lookups = super.lookUp(modesVersion, identities);
                    live = shared.switchboard().modes().version() == modesVersion;
                    return lookups;
                }

                @Override
                public void write(List<RecordWrite> writes) {
                    for (RecordWrite write : writes) {
                        book.know(write.id(), write.header(), false);
                        if (write.state() == State.COMPLETED && !live) {
                            book.wrong(write.id(), "ran although the modes had changed before it was opened");
                        }
                    }
                    super.write(writes);
                }
            };
        }
    }
}
