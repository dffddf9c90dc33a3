package dev.semel.jdbc.fault;

import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Ledger;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/** A planted bug: a store that looks a record up, and then overwrites a record that was created meanwhile. */
final class LooksThenWrites extends ForwardingStore {
    private final Runnable meanwhile;

    /** @param meanwhile between the look at a record that is absent and the write */
    LooksThenWrites(Store delegate, Runnable meanwhile) {
        super(delegate);
        this.meanwhile = meanwhile;
    }

    @Override
    public Ledger ledger() {
        return new ForwardingLedger(delegate().ledger()) {
            @Override
            public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
                List<Reserved> answers = new ArrayList<>();
                for (Reservation each : batch) {
                    if (find(List.of(each.identity().id())).rows().isEmpty()) {
                        meanwhile.run();
                        answers.add(overwrite(modesVersion, each));
                    } else {
                        answers.addAll(super.reserve(modesVersion, List.of(each)));
                    }
                }
                return answers;
            }

            private Reserved overwrite(long modesVersion, Reservation asked) {
                Reserved answer = super.reserve(modesVersion, List.of(asked)).get(0);
                while (answer instanceof Reserved.Existing existing) {
                    move(List.of(removal(existing.row())));
                    answer = super.reserve(modesVersion, List.of(asked)).get(0);
                }
                return answer;
            }
        };
    }

    @Override
    public Optional<Transactions> transactions() {
        return delegate().transactions().map(Unguarded::new);
    }

    private static Move removal(Row row) {
        return new Move(row.id(), row.status().fence(), EnumSet.allOf(State.class), null, Move.Change.NONE, List.of());
    }

    private final class Unguarded extends ForwardingTransactions {
        Unguarded(Transactions delegate) {
            super(delegate);
        }

        @Override
        public <T> T run(Work<T> work) throws Exception {
            List<RecordId> asked = asked(work);
            if (!LooksThenWrites.this.delegate().ledger().find(asked).rows().isEmpty()) {
                return super.run(work);
            }
            meanwhile.run();
            return super.run(tx -> work.run(new Overwriting(tx)));
        }

        private List<RecordId> asked(Work<?> work) throws Exception {
            try {
                delegate().run(tx -> work.run(new Asking(tx)));
            } catch (Asked e) {
                return e.ids;
            }
            throw new IllegalStateException("Every transaction of this test asks for a record.");
        }
    }

    private static final class Asked extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient List<RecordId> ids;

        Asked(List<RecordId> ids) {
            this.ids = ids;
        }
    }

    private static final class Asking extends ForwardingTransactions.ForwardingTx {
        Asking(Transactions.Tx delegate) {
            super(delegate);
        }

        @Override
        public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
            throw new Asked(identities.stream().map(Identity::id).toList());
        }
    }

    private static final class Overwriting extends ForwardingTransactions.ForwardingTx {
        Overwriting(Transactions.Tx delegate) {
            super(delegate);
        }

        @Override
        public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
            List<LookupResult> lookups = super.lookUp(modesVersion, identities);
            while (lookups.stream().anyMatch(LookupResult.Locked.class::isInstance)) {
                lookups = super.lookUp(modesVersion, identities);
            }
            for (LookupResult lookup : lookups) {
                if (lookup instanceof LookupResult.Found found) {
                    move(List.of(removal(found.row())));
                }
            }
            return super.lookUp(modesVersion, identities);
        }
    }
}
