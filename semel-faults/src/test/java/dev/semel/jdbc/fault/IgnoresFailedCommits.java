package dev.semel.jdbc.fault;

import dev.semel.SemelException;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** A planted bug: a store that takes a commit that failed for one that did not. */
final class IgnoresFailedCommits extends ForwardingStore {
    IgnoresFailedCommits(Store delegate) {
        super(delegate);
    }

    @Override
    public Optional<Transactions> transactions() {
        return super.transactions().map(Ignoring::new);
    }

    private static final class Ignoring extends ForwardingTransactions {
        Ignoring(Transactions delegate) {
            super(delegate);
        }

        @Override
        public <T> T run(Work<T> work) throws Exception {
            AtomicReference<Ended<T>> done = new AtomicReference<>();
            try {
                return super.run(tx -> {
                    Ended<T> ended = work.run(tx);
                    done.set(ended);
                    return ended;
                });
            } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                Ended<T> ended = done.get();
                if (ended == null || !ended.keep()) {
                    throw e;
                }
                return ended.value();
            }
        }
    }
}
