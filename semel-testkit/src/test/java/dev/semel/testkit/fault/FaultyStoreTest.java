package dev.semel.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.SemelException.OutcomeUnknown;
import dev.semel.SemelException.StoreUnavailable;
import dev.semel.Tenant;
import dev.semel.key.Fingerprint;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.Claim;
import dev.semel.store.Header;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Queue;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.State;
import dev.semel.store.Transactions.Ended;
import dev.semel.testkit.fault.Faults.Fault;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.testkit.memory.MemoryTable;
import dev.semel.time.ManualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FaultyStoreTest {
    private static final AuditEntry EVENT =
            new AuditEntry(1, new AuditEntry.Subject("acme", null, null, null, null), null, 0, 0, null);

    private static final RecordId ID =
            Identity.of(Tenant.of("acme"), "mail", Key.of("k")).id();
    private static final Header HEADER =
            new Header("acme", "mail", "k", Fingerprint.of(fingerprint()), "correlation", null);
    private static final Claim CLAIM = new Claim(
            "mail",
            1,
            new Reservation.Grant(1, 1_000, true, 3),
            new Claim.Amount(1, 1, Claim.Budget.NONE),
            Claim.Turns.ALL,
            row -> null);

    private static byte[] fingerprint() {
        byte[] bytes = new byte[35];
        bytes[0] = Fingerprint.VERSION;
        return bytes;
    }

    private final MemoryStore real = new MemoryStore(new ManualTime(0));

    @Test
    void callThatFailsBeforeIsNotCarriedOut() {
        assertThatThrownBy(() -> append(Fault.FAIL_BEFORE)).isInstanceOf(StoreUnavailable.class);
        assertThat(written()).isZero();
    }

    @Test
    void callThatFailsAfterIsCarriedOut() {
        assertThatThrownBy(() -> append(Fault.FAIL_AFTER)).isInstanceOf(StoreUnavailable.class);
        assertThat(written()).isEqualTo(1);
    }

    @Test
    void callWhoseReplyIsLostIsCarriedOutAndUnknown() {
        assertThatThrownBy(() -> append(Fault.LOSE_REPLY)).isInstanceOf(OutcomeUnknown.class);
        assertThat(written()).isEqualTo(1);
    }

    @Test
    void unknownCallMayNotHaveBeenCarriedOut() {
        assertThatThrownBy(() -> append(Fault.UNKNOWN)).isInstanceOf(OutcomeUnknown.class);
        assertThat(written()).isZero();
    }

    @Test
    void transactionMeetsItsFaultAtTheCommit() throws Exception {
        assertThatThrownBy(() -> put("a", Fault.FAIL_BEFORE)).isInstanceOf(StoreUnavailable.class);
        assertThatThrownBy(() -> put("b", Fault.FAIL_AFTER)).isInstanceOf(StoreUnavailable.class);
        assertThatThrownBy(() -> put("c", Fault.UNKNOWN)).isInstanceOf(OutcomeUnknown.class);
        assertThat(real.table()).isEmpty();
        assertThatThrownBy(() -> put("d", Fault.LOSE_REPLY)).isInstanceOf(OutcomeUnknown.class);
        put("e", Fault.NONE);
        assertThat(real.table()).containsOnlyKeys("d", "e");
    }

    @Test
    void queueCallsFailToo() {
        Arrival arrival = new Arrival(ID, HEADER, null, null, Arrival.ArrivalTimes.NOW, null);
        assertThatThrownBy(() -> queue(StoreCall.ENQUEUE, Fault.FAIL_BEFORE).enqueue(List.of(arrival)))
                .isInstanceOf(StoreUnavailable.class);
        assertThat(real.ledger().find(List.of(ID)).rows()).isEmpty();
        assertThatThrownBy(() -> queue(StoreCall.ENQUEUE, Fault.LOSE_REPLY).enqueue(List.of(arrival)))
                .isInstanceOf(OutcomeUnknown.class);
        assertThat(state()).isEqualTo(State.QUEUED);
        assertThatThrownBy(() -> queue(StoreCall.CLAIM, Fault.UNKNOWN).claim(CLAIM))
                .isInstanceOf(OutcomeUnknown.class);
        assertThat(state()).isEqualTo(State.QUEUED);
        assertThatThrownBy(() -> queue(StoreCall.CLAIM, Fault.FAIL_AFTER).claim(CLAIM))
                .isInstanceOf(StoreUnavailable.class);
        assertThat(state()).isEqualTo(State.IN_PROGRESS);
        assertThatThrownBy(() -> queue(StoreCall.BACKLOG, Fault.FAIL_BEFORE).backlog("mail"))
                .isInstanceOf(StoreUnavailable.class);
    }

    @Test
    void recordThatIsLockedIsAnsweredSoAndNothingIsWritten() {
        Arrival arrival = new Arrival(ID, HEADER, null, null, Arrival.ArrivalTimes.NOW, null);
        real.queue().orElseThrow().enqueue(List.of(arrival));
        long fence =
                real.queue().orElseThrow().claim(CLAIM).rows().get(0).status().fence();
        var store = new FaultyStore(real, new Faults() {
            @Override
            public Fault at(StoreCall call) {
                return Fault.NONE;
            }

            @Override
            public boolean locks(StoreCall call, RecordId record) {
                return record.equals(ID);
            }
        });
        Move.Change none = Move.Change.NONE;
        RecordId other = Identity.of(Tenant.of("acme"), "mail", Key.of("other")).id();
        assertThat(store.ledger()
                        .move(List.of(
                                Transition.COMPLETE.of(other, 1, none, null),
                                Transition.COMPLETE.of(ID, fence, none, null))))
                .containsExactly(new Moved.Refused(null), new Moved.Locked());
        assertThatThrownBy(() -> store.ledger().renew(List.of(new Renewal(ID, fence, 1_000))))
                .isInstanceOf(SemelException.Locked.class);
        assertThat(state()).isEqualTo(State.IN_PROGRESS);
    }

    @Test
    void messageInATransactionMeetsFaultsToo() {
        Arrival arrival = new Arrival(ID, HEADER, null, null, Arrival.ArrivalTimes.NOW, null);
        var store = new FaultyStore(real, Faults.nth(1, StoreCall.TX_ENQUEUE, Fault.FAIL_BEFORE));
        assertThatThrownBy(() -> store.transactions()
                        .orElseThrow()
                        .run(tx -> Ended.keep(tx.enqueue(List.of(arrival)).get(0))))
                .isInstanceOf(StoreUnavailable.class);
        assertThat(real.ledger().find(List.of(ID)).rows()).isEmpty();
    }

    private Queue queue(StoreCall call, Fault fault) {
        return new FaultyStore(real, Faults.nth(1, call, fault)).queue().orElseThrow();
    }

    private State state() {
        return real.ledger().find(List.of(ID)).get(ID).state();
    }

    @Test
    void onlyTheOneThatWasNamedGoesWrong() {
        var faults = Faults.nth(2, StoreCall.RENEW, Fault.UNKNOWN);
        List<Fault> struck = new ArrayList<>();
        for (StoreCall call : List.of(StoreCall.RENEW, StoreCall.MOVE, StoreCall.RENEW, StoreCall.RENEW)) {
            struck.add(faults.at(call));
        }
        assertThat(struck).containsExactly(Fault.NONE, Fault.NONE, Fault.UNKNOWN, Fault.NONE);
    }

    @Test
    void sameSeedGivesTheSameFaults() {
        assertThat(hundred(7)).isEqualTo(hundred(7)).isNotEqualTo(hundred(8)).contains(Fault.values());
    }

    @Test
    void faultsAreNotifiedWhenTheCallWasMade() {
        List<String> told = new ArrayList<>();
        Faults faults = new Faults() {
            @Override
            public Fault at(StoreCall call) {
                told.add("at " + call);
                return Fault.NONE;
            }

            @Override
            public void done(StoreCall call) {
                told.add("done " + call);
            }
        };
        new FaultyStore(real, faults).switchboard().modes();
        assertThat(told).containsExactly("at MODES", "done MODES");
    }

    private static List<Fault> hundred(long seed) {
        Faults faults = Faults.random(new SplittableRandom(seed), 0.5);
        List<Fault> struck = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            struck.add(faults.at(StoreCall.MOVE));
        }
        return struck;
    }

    private void append(Fault fault) {
        new FaultyStore(real, Faults.nth(1, StoreCall.AUDIT_APPEND, fault))
                .audit()
                .append(List.of(EVENT));
    }

    private int written() {
        return real.audit().newest(AuditFilter.ALL, 10).size();
    }

    private void put(String key, Fault fault) throws Exception {
        var store = new FaultyStore(real, Faults.nth(1, StoreCall.COMMIT, fault));
        store.transactions().orElseThrow().run(tx -> {
            tx.unwrap(MemoryTable.class).put(key, "value");
            return Ended.keep(key);
        });
    }
}
