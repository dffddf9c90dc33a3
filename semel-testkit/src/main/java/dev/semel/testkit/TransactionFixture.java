package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.LookupResult;
import dev.semel.store.RecordWrite;
import dev.semel.store.State;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

/** The shared base of the suites about transactions. */
abstract class TransactionFixture extends ContractSuite {
    Transactions transactions;

    @SuppressWarnings("NullAway.Init")
    TransactionFixture(StoreContract contract) {
        super(contract);
    }

    @BeforeEach
    void needTransactions() {
        Assumptions.assumeTrue(
                store.transactions().isPresent(), () -> store.name() + " cannot commit an application's writes");
        transactions = store.transactions().orElseThrow();
    }

    LookupResult open(Transactions.Tx tx, ReservationBuilder ask) {
        List<LookupResult> lookups = tx.lookUp(board.modes().version(), List.of(ask.identity()));
        assertThat(lookups).hasSize(1);
        return lookups.get(0);
    }

    LookupResult open(Transactions.Tx tx, String key) {
        return open(tx, ReservationBuilder.of(key));
    }

    /** COMPLETED with a result, kept for a while. */
    static RecordWrite completed(String key) {
        return write(key, State.COMPLETED, 1_000, 0);
    }

    static RecordWrite write(String key, State state, long delay, long keep) {
        ReservationBuilder ask = ReservationBuilder.of(key);
        return new RecordWrite(
                ask.identity().id(),
                ask.header(),
                state,
                new RecordWrite.WriteTimes(delay, keep, 1),
                new RecordWrite.WrittenOutcome(state == State.COMPLETED ? bytes("result") : null, null),
                ask.event(2));
    }

    /** Looks up the record, which must be free, and writes it. */
    void complete(Transactions.Tx tx, String key) {
        assertThat(open(tx, key)).isEqualTo(new LookupResult.Free());
        tx.write(List.of(completed(key)));
    }

    void completeAndKeep(String key) throws Exception {
        transactions.run(tx -> {
            complete(tx, key);
            return Ended.keep(key);
        });
    }
}
