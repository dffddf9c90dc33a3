package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.Enqueued;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordWrite;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.State;
import dev.semel.store.Transactions.Ended;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * D16: the database refuses the data of one item. That item hears so, as an error that names its record and that repeating does
 * not mend; the others of its batch are written.
 */
abstract class RefusedDataSuite extends QueueFixture {
    private static final String REFUSED = "refused";
    private static final int BATCH = 9;
    private static final int BAD = 5;

    RefusedDataSuite(StoreContract contract) {
        super(contract);
    }

    @BeforeEach
    void needRefusals() throws Exception {
        Assumptions.assumeTrue(contract.refuse(REFUSED), () -> store.name() + " takes whatever it is given");
    }

    private static byte[] data(int place) {
        return bytes(place == BAD ? REFUSED : "data");
    }

    private static void assertNamed(SemelException why, Object id) {
        assertThat(why).isInstanceOf(SemelException.DataRefused.class).hasMessageContaining(id.toString());
    }

    @Test
    void d16_reservationWhoseDataIsRejectedFailsAlone() {
        List<Reservation> batch = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            batch.add(ReservationBuilder.of("k" + i).with(data(i)).reservation());
        }
        List<Reserved> answers = ledger.reserve(board.modes().version(), batch);
        for (int i = 0; i < BATCH; i++) {
            if (i == BAD) {
                assertThat(answers.get(i)).isInstanceOf(Reserved.ReserveFailed.class);
                assertNamed(((Reserved.ReserveFailed) answers.get(i)).why(), ReservationBuilder.id("k" + i));
                assertThat(exists("k" + i)).isFalse();
            } else {
                assertThat(answers.get(i)).isInstanceOf(Reserved.Granted.class);
            }
        }
    }

    @Test
    void d16_oneReservationAloneIsAnsweredInTheSameWay() {
        Reserved answer = reserve(ReservationBuilder.of("k").with(bytes(REFUSED)));
        assertThat(answer).isInstanceOf(Reserved.ReserveFailed.class);
        assertNamed(((Reserved.ReserveFailed) answer).why(), ReservationBuilder.id("k"));
    }

    @Test
    void d16_messageWhoseDataIsRejectedFailsAlone() {
        List<Enqueued> answers = queue.enqueue(java.util.stream.IntStream.range(0, BATCH)
                .mapToObj(
                        i -> ArrivalBuilder.of("m" + i).with(data(i)).telling(1).arrival())
                .toList());
        for (int i = 0; i < BATCH; i++) {
            if (i == BAD) {
                assertThat(answers.get(i)).isInstanceOf(Enqueued.EnqueueFailed.class);
                assertNamed(((Enqueued.EnqueueFailed) answers.get(i)).why(), ArrivalBuilder.id("m" + i));
                assertThat(isThere(ArrivalBuilder.id("m" + i))).isFalse();
            } else {
                assertThat(answers.get(i)).isEqualTo(new Enqueued.Made());
                assertThat(toldTypes(ArrivalBuilder.id("m" + i))).containsExactly(1);
            }
        }
    }

    @Test
    void d16_moveWhoseDataIsRejectedFailsAloneAndItsRecordStays() {
        List<Move> moves = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            long fence = grant("k" + i).fence();
            moves.add(MoveBuilder.of(ReservationBuilder.id("k" + i), fence, State.COMPLETED)
                    .in(1_000)
                    .result(data(i))
                    .with(ReservationBuilder.of("k" + i).event(2))
                    .move());
        }
        List<Moved> answers = ledger.move(moves);
        for (int i = 0; i < BATCH; i++) {
            if (i == BAD) {
                assertThat(answers.get(i)).isInstanceOf(Moved.NotStored.class);
                assertNamed(((Moved.NotStored) answers.get(i)).why(), ReservationBuilder.id("k" + i));
                assertThat(status("k" + i).state()).isEqualTo(State.IN_PROGRESS);
                assertThat(events("k" + i)).isEmpty();
            } else {
                assertThat(answers.get(i)).isEqualTo(new Moved.Applied());
                assertThat(events("k" + i)).containsExactly(2);
            }
        }
        apply(MoveBuilder.of(ReservationBuilder.id("k" + BAD), moves.get(BAD).fence(), State.FAILED_TERMINAL)
                .in(1_000));
    }

    @Test
    void d16_auditEventThatIsRejectedIsNoOutage() {
        AuditEntry event = ReservationBuilder.of("k").event(3);
        AuditEntry.Subject subject = new AuditEntry.Subject("acme", "charge", null, null, REFUSED);
        AuditEntry refused = new AuditEntry(3, subject, null, 0, 0, null);
        assertThatThrownBy(() -> audit.append(List.of(event, refused))).isInstanceOf(SemelException.DataRefused.class);
        assertThat(audit.newest(AuditFilter.ALL, 10)).isEmpty();
    }

    @Test
    void d16_transactionWhoseRecordIsRejectedIsRolledBackAndSaysWhy() {
        Assumptions.assumeTrue(
                store.transactions().isPresent(), () -> store.name() + " cannot commit an application's writes");
        assertThatThrownBy(() -> store.transactions().orElseThrow().run(tx -> {
                    assertThat(tx.lookUp(
                                    board.modes().version(),
                                    List.of(ReservationBuilder.of("k").identity())))
                            .containsExactly(new LookupResult.Free());
                    tx.write(List.of(new RecordWrite(
                            ReservationBuilder.id("k"),
                            ReservationBuilder.of("k").header(),
                            State.COMPLETED,
                            new RecordWrite.WriteTimes(1_000, 0, 1),
                            new RecordWrite.WrittenOutcome(bytes(REFUSED), null),
                            null)));
                    return Ended.keep(true);
                }))
                .isInstanceOf(SemelException.DataRefused.class);
        assertThat(exists("k")).isFalse();
    }
}
