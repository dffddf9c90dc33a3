package dev.semel.testkit.sim;

import dev.semel.SemelException;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.Ledger;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Queue;
import dev.semel.store.RecordWrite;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingAuditLog;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import dev.semel.testkit.memory.MemoryTable;
import dev.semel.time.TimeSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Ways to put a bug between the engine and its store. */
final class PlantedBugs {
    private PlantedBugs() {}

    /** A bug of the database's ledger. */
    static StoreUnderTest ledger(BiFunction<Store, TimeSource, Ledger> bug) {
        return new StoreUnderTest() {
            @Override
            public Store beneath(Store shared, TimeSource node) {
                Ledger ledger = bug.apply(shared, node);
                return new ForwardingStore(shared) {
                    @Override
                    public Ledger ledger() {
                        return ledger;
                    }
                };
            }
        };
    }

    /** A bug of the database's queue. */
    static StoreUnderTest queue(Function<Store, Queue> bug) {
        return new StoreUnderTest() {
            @Override
            public Store beneath(Store shared, TimeSource node) {
                Queue queue = bug.apply(shared);
                return new ForwardingStore(shared) {
                    @Override
                    public Optional<Queue> queue() {
                        return Optional.of(queue);
                    }
                };
            }
        };
    }

    /** A bug of the database's audit. */
    static StoreUnderTest audit(UnaryOperator<List<AuditRow>> changed) {
        return new StoreUnderTest() {
            @Override
            public Store beneath(Store shared, TimeSource node) {
                return new ForwardingStore(shared) {
                    @Override
                    public AuditLog audit() {
                        return new ForwardingAuditLog(delegate().audit()) {
                            @Override
                            public List<AuditRow> between(AuditRow.Position after, AuditRow.Position upTo) {
                                return changed.apply(super.between(after, upTo));
                            }
                        };
                    }
                };
            }
        };
    }

    /** A bug of the database's transactions. */
    static StoreUnderTest transactions(BiFunction<Store, Transactions, Transactions> bug) {
        return new StoreUnderTest() {
            @Override
            public Store beneath(Store shared, TimeSource node) {
                return withTransactions(shared, bug);
            }
        };
    }

    /** A bug of the driver: it sees what the network made of an answer. */
    static StoreUnderTest driver(BiFunction<Store, Transactions, Transactions> bug) {
        return new StoreUnderTest() {
            @Override
            public Store above(Store remote, TimeSource node) {
                return withTransactions(remote, bug);
            }
        };
    }

    private static Store withTransactions(Store store, BiFunction<Store, Transactions, Transactions> bug) {
        return new ForwardingStore(store) {
            @Override
            public Optional<Transactions> transactions() {
                return delegate().transactions().map(each -> bug.apply(delegate(), each));
            }
        };
    }

    static @Nullable Row row(Store store, RecordId id) {
        return store.ledger().find(List.of(id)).get(id);
    }

    /** Removes a record in any state. */
    static void remove(Store store, Row row) {
        store.ledger()
                .move(List.of(new Move(
                        row.id(),
                        row.status().fence(),
                        EnumSet.allOf(State.class),
                        null,
                        Move.Change.NONE,
                        List.of())));
    }

    static final class AcknowledgesBeforeCommit extends ForwardingTransactions {
        AcknowledgesBeforeCommit(Transactions delegate) {
            super(delegate);
        }

        @Override
        public <T> T run(Work<T> work) throws Exception {
            return super.run(tx -> Ended.undo(work.run(tx).value()));
        }
    }

    static final class TakesALostReplyForAFailure extends ForwardingTransactions {
        TakesALostReplyForAFailure(Transactions delegate) {
            super(delegate);
        }

        @Override
        public <T> T run(Work<T> work) throws Exception {
            try {
                return super.run(work);
            } catch (SemelException.OutcomeUnknown e) {
                throw new SemelException.StoreUnavailable("Nothing was committed, it is believed.", e);
            }
        }
    }

    /** Keeps what a transaction did although an earlier one had finished the record. */
    static final class TakesAnEarlierFinishForItsOwn extends ForwardingTransactions {
        TakesAnEarlierFinishForItsOwn(Transactions delegate) {
            super(delegate);
        }

        @Override
        protected Tx wrap(Tx tx) {
            return new ForwardingTx(tx) {
                @Override
                public List<Moved> move(List<Move> moves) {
                    return super.move(moves).stream()
                            .map(moved -> moved instanceof Moved.Same ? new Moved.Applied() : moved)
                            .toList();
                }
            };
        }
    }

    /** Runs a transaction again whose reply was lost, as a driver may: an earlier one of the same run may be committed. */
    static class RunsAgainAfterALostReply extends ForwardingTransactions {
        RunsAgainAfterALostReply(Transactions delegate) {
            super(delegate);
        }

        @Override
        public <T> T run(Work<T> work) throws Exception {
            try {
                return super.run(work);
            } catch (SemelException.OutcomeUnknown e) {
                return super.run(work);
            }
        }
    }

    /** Takes a record that waits for its retry for absent once it is due. */
    static final class OverlooksWhatIsDue extends ForwardingTransactions {
        OverlooksWhatIsDue(Transactions delegate) {
            super(delegate);
        }

        @Override
        protected Tx wrap(Tx tx) {
            return new ForwardingTx(tx) {
                @Override
                public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
                    return super.lookUp(modesVersion, identities).stream()
                            .map(lookup -> lookup instanceof LookupResult.Found found
                                            && modesVersion == Transactions.ANY_MODES
                                            && found.row().state() == State.FAILED_RETRYABLE
                                            && found.row().status().at() <= found.now()
                                    ? new LookupResult.Free()
                                    : lookup)
                            .toList();
                }
            };
        }
    }

    static final class CommitsEffectsApart extends ForwardingTransactions {
        CommitsEffectsApart(Transactions delegate) {
            super(delegate);
        }

        @Override
        protected Tx wrap(Tx tx) {
            return new ForwardingTx(tx) {
                @Override
                public <T> T unwrap(Class<T> type) {
                    return type.cast(new MemoryTable() {
                        @Override
                        public @Nullable String get(String key) {
                            return tx.unwrap(MemoryTable.class).get(key);
                        }

                        @Override
                        public void put(String key, String value) {
                            commit(key, value);
                        }
                    });
                }
            };
        }

        private void commit(String key, String value) {
            try {
                delegate().run(own -> {
                    own.unwrap(MemoryTable.class).put(key, value);
                    return Ended.keep(key);
                });
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Treats an existing record as absent, and overwrites it. */
    static final class WritesOver extends ForwardingTransactions {
        private final Store store;

        WritesOver(Store store, Transactions delegate) {
            super(delegate);
            this.store = store;
        }

        @Override
        protected Tx wrap(Tx tx) {
            return new ForwardingTx(tx) {
                @Override
                public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
                    List<LookupResult> lookups = new ArrayList<>(super.lookUp(modesVersion, identities));
                    lookups.replaceAll(
                            lookup -> lookup instanceof LookupResult.Found ? new LookupResult.Free() : lookup);
                    return lookups;
                }

                @Override
                public void write(List<RecordWrite> writes) {
                    for (RecordWrite write : writes) {
                        Row row = row(store, write.id());
                        if (row != null) {
                            remove(store, row);
                        }
                    }
                    super.write(writes);
                }
            };
        }
    }

    /** Shows rows as somebody else's, in transactions. */
    static final class ShowsRows extends ForwardingTransactions {
        private final BiFunction<Identity, Row, Row> shown;

        ShowsRows(Transactions delegate, BiFunction<Identity, Row, Row> shown) {
            super(delegate);
            this.shown = shown;
        }

        @Override
        protected Tx wrap(Tx tx) {
            return new ForwardingTx(tx) {
                @Override
                public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
                    List<LookupResult> lookups = new ArrayList<>(super.lookUp(modesVersion, identities));
                    for (int i = 0; i < lookups.size(); i++) {
                        if (lookups.get(i) instanceof LookupResult.Found found) {
                            Row row = shown.apply(identities.get(i), found.row());
                            lookups.set(i, new LookupResult.Found(row, found.now()));
                        }
                    }
                    return lookups;
                }
            };
        }
    }

    /** Opens under any modes. */
    static final class IgnoresModes extends ForwardingTransactions {
        private final Store store;

        IgnoresModes(Store store, Transactions delegate) {
            super(delegate);
            this.store = store;
        }

        @Override
        protected Tx wrap(Tx tx) {
            return new ForwardingTx(tx) {
                @Override
                public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
                    return super.lookUp(store.switchboard().modes().version(), identities);
                }
            };
        }
    }

    /** Remembers a result of each operation, and shows it to others. */
    static BiFunction<Identity, Row, Row> anothersResult(Map<String, Row> newest) {
        return (identity, row) -> {
            if (row.state() != State.COMPLETED) {
                return row;
            }
            Row other = newest.put(row.header().operation(), row);
            return other == null
                    ? row
                    : new Row(row.id(), row.header(), row.status(), row.payload(), other.result(), row.failure());
        };
    }
}
