package dev.semel.testkit.sim;

import dev.semel.key.Identity;
import dev.semel.store.AuditEntry;
import dev.semel.store.Header;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingLedger;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A ledger with a bug; what it takes and what it answers pass through here one by one. */
class BuggyLedger extends ForwardingLedger {
    static final Set<State> ANY = EnumSet.allOf(State.class);

    private final Store store;

    BuggyLedger(Store store) {
        super(store.ledger());
        this.store = store;
    }

    Store store() {
        return store;
    }

    Reserved reserve(long modesVersion, Reservation asked) {
        return super.reserve(modesVersion, List.of(asked)).get(0);
    }

    Moved move(Move move) {
        return super.move(List.of(move)).get(0);
    }

    @Override
    public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
        return batch.stream().map(asked -> reserve(modesVersion, asked)).toList();
    }

    @Override
    public List<Moved> move(List<Move> batch) {
        return batch.stream().map(this::move).toList();
    }

    @Override
    public Moved moveTogether(List<Move> batch) {
        return Moved.together(move(batch));
    }

    /** Changes what is asked. */
    static Ledger asking(Store store, UnaryOperator<Reservation> change) {
        return new BuggyLedger(store) {
            @Override
            Reserved reserve(long modesVersion, Reservation asked) {
                return super.reserve(modesVersion, change.apply(asked));
            }
        };
    }

    /** Changes what is answered. */
    static Ledger answering(Store store, BiFunction<Reservation, Reserved.Existing, Reserved> change) {
        return new BuggyLedger(store) {
            @Override
            Reserved reserve(long modesVersion, Reservation asked) {
                Reserved reserved = super.reserve(modesVersion, asked);
                return reserved instanceof Reserved.Existing existing ? change.apply(asked, existing) : reserved;
            }
        };
    }

    /** Changes what is written. */
    static Ledger moving(Store store, Function<Move, Move> change) {
        return new BuggyLedger(store) {
            @Override
            Moved move(Move move) {
                return super.move(change.apply(move));
            }
        };
    }

    static Reservation with(Reservation asked, Reservation.Grant grant) {
        return new Reservation(
                asked.identity(), asked.header(), asked.payload(), grant, asked.parent(), asked.takenOver());
    }

    static Reservation with(Reservation asked, Header header) {
        return new Reservation(
                asked.identity(), header, asked.payload(), asked.grant(), asked.parent(), asked.takenOver());
    }

    static Row with(Row row, Header header) {
        return new Row(row.id(), header, row.status(), row.payload(), row.result(), row.failure());
    }

    /** Fences that are attempts: what a store without a sequence might think of. */
    static final class FencesByAttempt extends BuggyLedger {
        private static final long MANY = 1_000;

        FencesByAttempt(Store store) {
            super(store);
        }

        private long real(Identity identity, long fence) {
            Row row = PlantedBugs.row(store(), identity.id());
            boolean current = row != null && row.status().attempt() == fence && fence < MANY;
            return current ? row.status().fence() : fence;
        }

        @Override
        Reserved reserve(long modesVersion, Reservation asked) {
            Reservation.Parent parent = asked.parent();
            Reservation.Parent real = parent == null
                    ? null
                    : new Reservation.Parent(parent.id(), real(Identity.of(parent.id()), parent.fence()));
            Reserved reserved = super.reserve(
                    modesVersion,
                    new Reservation(
                            asked.identity(), asked.header(), asked.payload(), asked.grant(), real, asked.takenOver()));
            return reserved instanceof Reserved.Granted granted
                    ? new Reserved.Granted(granted.attempt(), granted.attempt(), granted.takenOver())
                    : reserved;
        }

        @Override
        Moved move(Move move) {
            long fence = real(Identity.of(move.id()), move.fence());
            return super.move(new Move(move.id(), fence, move.from(), move.to(), move.change(), move.events()));
        }

        @Override
        public List<Boolean> renew(List<Renewal> batch) {
            return super.renew(batch.stream()
                    .map(each -> new Renewal(each.id(), real(Identity.of(each.id()), each.fence()), each.leaseMillis()))
                    .toList());
        }
    }

    /** Events are left out. */
    static Ledger silent(Store store) {
        return moving(
                store, move -> new Move(move.id(), move.fence(), move.from(), move.to(), move.change(), List.of()));
    }

    /** Events are written once more. */
    static Ledger repeating(Store store) {
        return new BuggyLedger(store) {
            @Override
            Moved move(Move move) {
                AuditEntry event = move.event();
                Row row = PlantedBugs.row(store(), move.id());
                Moved moved = super.move(move);
                if (event != null && row != null && moved instanceof Moved.Applied) {
                    int attempt = move.change().attempt() < 0
                            ? row.status().attempt()
                            : move.change().attempt();
                    store().audit()
                            .append(List.of(new AuditEntry(
                                    event.type(),
                                    event.subject(),
                                    event.policy(),
                                    move.fence(),
                                    attempt,
                                    event.body())));
                }
                return moved;
            }
        };
    }

    /** Due at once, despite its lease. */
    void expire(Row row) {
        super.move(List.of(new Move(
                row.id(),
                row.status().fence(),
                ANY,
                State.FAILED_RETRYABLE,
                new Move.Change(0, 0, -1, false, null, null),
                List.of())));
    }

    static boolean running(Status status) {
        return status.state() == State.IN_PROGRESS;
    }
}
