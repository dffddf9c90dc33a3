package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.key.Identity;
import dev.semel.store.AuditRow;
import dev.semel.store.LookupResult;
import dev.semel.store.Moved;
import dev.semel.store.RecordWrite;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Application and ledger in one commit: lookup, record writes, and the rows that stay. */
abstract class TransactionSuite extends TransactionFixture {
    TransactionSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void committedRecordHasItsEvent() throws Exception {
        String value = transactions.run(tx -> {
            complete(tx, "k");
            return Ended.keep("value");
        });
        assertThat(value).isEqualTo("value");
        Row row = row("k");
        assertThat(row.state()).isEqualTo(State.COMPLETED);
        assertThat(row.header()).isEqualTo(ReservationBuilder.of("k").header());
        assertThat(row.result()).isEqualTo(bytes("result"));
        assertThat(row.failure()).isNull();
        assertThat(row.status().attempt()).isEqualTo(1);
        assertThat(row.status().at()).isEqualTo(START + 1_000);
        assertThat(events("k")).containsExactly(2);
        assertThat(existing(reserve(ReservationBuilder.of("k"))).row().result()).isEqualTo(bytes("result"));
    }

    @Test
    void rolledBackTransactionLeavesNothing() throws Exception {
        String value = transactions.run(tx -> {
            complete(tx, "k");
            return Ended.undo("value");
        });
        assertThat(value).isEqualTo("value");
        assertThat(exists("k")).isFalse();
        assertThat(events("k")).isEmpty();
        assertThat(grant("k").attempt()).isEqualTo(1);
    }

    @Test
    void exceptionOfTheWorkLeavesNothingAndIsPassedOn() {
        var reason = new java.io.IOException("the work's own");
        assertThatThrownBy(() -> transactions.run(tx -> {
                    complete(tx, "k");
                    throw reason;
                }))
                .isSameAs(reason);
        var error = new AssertionError("an error too");
        assertThatThrownBy(() -> transactions.run(tx -> {
                    complete(tx, "k");
                    throw error;
                }))
                .isSameAs(error);
        assertThat(exists("k")).isFalse();
        assertThat(events("k")).isEmpty();
    }

    @Test
    void keptFailureIsWrittenToo() throws Exception {
        transactions.run(tx -> {
            assertThat(open(tx, "k")).isEqualTo(new LookupResult.Free());
            var failed = new RecordWrite(
                    ReservationBuilder.id("k"),
                    ReservationBuilder.of("k").header(),
                    State.FAILED_RETRYABLE,
                    new RecordWrite.WriteTimes(500, 2_000, 2),
                    new RecordWrite.WrittenOutcome(null, bytes("{\"f\":1}")),
                    null);
            tx.write(List.of(failed));
            return Ended.keep(0);
        });
        Row row = row("k");
        assertThat(row.failure()).isEqualTo(bytes("{\"f\":1}"));
        assertThat(row.status().state()).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(row.status().at()).isEqualTo(START + 500);
        assertThat(row.status().keepMillis()).isEqualTo(2_000);
        assertThat(row.status().attempt()).isEqualTo(2);
        assertThat(events("k")).isEmpty();
    }

    @Test
    void recordInAnyStateIsFoundAsItIs() throws Exception {
        for (State state : State.values()) {
            put(state.name(), state, 1_000, 0);
        }
        pass(1);
        transactions.run(tx -> {
            for (State state : State.values()) {
                LookupResult lookup = open(tx, state.name());
                assertThat(lookup).isInstanceOf(LookupResult.Found.class);
                LookupResult.Found found = (LookupResult.Found) lookup;
                assertThat(found.now()).isEqualTo(now());
                assertThat(found.row().header().key()).isEqualTo(state.name());
                assertThat(found.row().state()).isEqualTo(state);
            }
            return Ended.undo(0);
        });
    }

    @Test
    void expiredRecordCountsAsAbsentAndIsReplaced() throws Exception {
        put("done", State.FAILED_TERMINAL, 1_000, 0);
        put("failed", State.FAILED_RETRYABLE, 500, 500);
        pass(1_000);
        completeAndKeep("done");
        completeAndKeep("failed");
        assertThat(row("done").result()).isEqualTo(bytes("result"));
        assertThat(status("done").at()).isEqualTo(now() + 1_000);
        assertThat(status("failed").state()).isEqualTo(State.COMPLETED);
    }

    @Test
    void dueRetryCanBeOverwritten() throws Exception {
        put("k", State.FAILED_RETRYABLE, 1_000, 60_000);
        pass(1_000);
        transactions.run(tx -> {
            assertThat(open(tx, "k")).isInstanceOf(LookupResult.Found.class);
            tx.write(List.of(completed("k")));
            return Ended.keep(0);
        });
        assertThat(status("k").state()).isEqualTo(State.COMPLETED);
        assertThat(row("k").result()).isEqualTo(bytes("result"));
    }

    @Test
    void writeOverALiveRecordIsRejectedAndNothingStays() {
        for (State state : State.values()) {
            String key = state.name();
            put(key, state, 1_000, 60_000);
            Status before = status(key);
            assertThatThrownBy(() -> transactions.run(tx -> {
                        complete(tx, "beside " + key);
                        open(tx, key);
                        tx.write(List.of(completed(key)));
                        return Ended.keep(0);
                    }))
                    .as(key)
                    .isInstanceOf(SemelException.LeaseLost.class);
            assertThat(status(key)).isEqualTo(before);
            assertThat(exists("beside " + key)).isFalse();
            assertThat(events("beside " + key)).isEmpty();
        }
    }

    @Test
    void nothingIsOpenedUnderAnOlderVersionOfTheModes() throws Exception {
        long old = board.modes().version();
        board.set(
                new Switchboard.Setting("other", null, Mode.HALTED),
                ReservationBuilder.of("x").event(9));
        List<LookupResult> lookups = transactions.run(tx ->
                Ended.undo(tx.lookUp(old, List.of(ReservationBuilder.of("k").identity()))));
        assertThat(lookups).containsExactly(new LookupResult.ModesChanged());
    }

    @Test
    void recordUnderANeighbouringKeyIsFound() throws Exception {
        grant(ReservationBuilder.of(NeighbourAndStepSuite.FIRST_BUCKET));
        LookupResult lookup = transactions.run(
                tx -> Ended.undo(open(tx, ReservationBuilder.of(NeighbourAndStepSuite.SECOND_BUCKET))));
        assertThat(lookup)
                .isInstanceOfSatisfying(
                        LookupResult.Found.class,
                        found -> assertThat(found.row().header().key()).isEqualTo("text/1"));
    }

    @Test
    void recordIsInvisibleBeforeTheCommit() throws Exception {
        transactions.run(tx -> {
            complete(tx, "k");
            assertThat(elsewhere(() -> exists("k"))).isFalse();
            assertThat(elsewhere(() -> events("k"))).isEmpty();
            return Ended.keep(0);
        });
        assertThat(exists("k")).isTrue();
    }

    @Test
    void recordThatAnotherTransactionHoldsIsLocked() throws Exception {
        Assumptions.assumeFalse(contract.hasOneWriter(), "a second transaction waits for the first");
        transactions.run(tx -> {
            assertThat(open(tx, "k")).isEqualTo(new LookupResult.Free());
            LookupResult held = elsewhere(() -> look("k"));
            LookupResult another = elsewhere(() -> look("another"));
            assertThat(held).isEqualTo(new LookupResult.Locked());
            assertThat(another).isEqualTo(new LookupResult.Free());
            return Ended.undo(0);
        });
        LookupResult after = look("k");
        assertThat(after).isEqualTo(new LookupResult.Free());
    }

    @Test
    void storedAnswerIsFoundByAllWhoAskAtOnce() throws Exception {
        Assumptions.assumeFalse(contract.hasOneWriter(), "a second transaction waits for the first");
        completeAndKeep("k");
        transactions.run(tx -> {
            assertThat(open(tx, "k")).isInstanceOf(LookupResult.Found.class);
            LookupResult beside = elsewhere(() -> look("k"));
            assertThat(beside).isInstanceOf(LookupResult.Found.class);
            return Ended.undo(0);
        });
    }

    @Test
    void retryThatIsDueIsNotOpenedUnderOtherModes() throws Exception {
        put("k", State.FAILED_RETRYABLE, 0, 0);
        long old = board.modes().version();
        board.set(
                new Switchboard.Setting(null, "other", Mode.HALTED),
                ReservationBuilder.of("k").event(5));
        List<LookupResult> lookups = transactions.run(tx ->
                Ended.undo(tx.lookUp(old, List.of(ReservationBuilder.of("k").identity()))));
        assertThat(lookups).containsExactly(new LookupResult.ModesChanged());
    }

    @Test
    void eventsAreReadInOrderBehindTheHorizon() throws Exception {
        audit.append(List.of(ReservationBuilder.of("before").event(1)));
        List<AuditRow> early = new ArrayList<>();
        transactions.run(tx -> {
            complete(tx, "k");
            early.clear();
            if (!contract.hasOneWriter()) {
                elsewhere(() -> {
                    audit.append(List.of(ReservationBuilder.of("meanwhile").event(3)));
                    return 0;
                });
            }
            early.addAll(elsewhere(() -> audit.behindHorizon(AuditRow.Position.START, 100)));
            return Ended.keep(0);
        });
        audit.append(List.of(ReservationBuilder.of("after").event(4)));
        List<AuditRow> all = audit.behindHorizon(AuditRow.Position.START, 100);
        assertThat(all).hasSize(contract.hasOneWriter() ? 3 : 4);
        assertThat(all.stream().map(AuditRow::position).toList())
                .startsWith(early.stream().map(AuditRow::position).toArray(AuditRow.Position[]::new));
    }

    @Test
    void claimedRunFinishesInTheTransactionUnderItsFence() throws Exception {
        long fence = grant("k").fence();
        MoveBuilder finish = MoveBuilder.of(ReservationBuilder.id("k"), fence, State.COMPLETED)
                .in(1_000)
                .result(bytes("r"))
                .with(ReservationBuilder.of("k").event(3));
        transactions.run(tx -> {
            assertThat(tx.move(List.of(finish.move()))).containsExactly(new Moved.Applied());
            return Ended.undo(0);
        });
        assertThat(status("k").state()).isEqualTo(State.IN_PROGRESS);
        assertThat(events("k")).isEmpty();
        transactions.run(tx -> Ended.keep(tx.move(List.of(finish.move()))));
        assertThat(row("k").result()).isEqualTo(bytes("r"));
        assertThat(events("k")).containsExactly(3);
    }

    @Test
    void a2_claimedRunThatLostItsLeaseIsRejectedInTheTransaction() throws Exception {
        long old = put("k", State.IN_PROGRESS, 1_000, 0);
        pass(1_000);
        long fresh = grant("k").fence();
        List<Moved> answers = transactions.run(tx -> Ended.undo(tx.move(List.of(
                MoveBuilder.of(ReservationBuilder.id("k"), old, State.COMPLETED).move()))));
        assertThat(answers).containsExactly(new Moved.Refused(status("k")));
        assertThat(status("k").fence()).isEqualTo(fresh);
    }

    @Test
    void a15_finishThatAnEarlierTransactionCommittedAnswersSameInTheNextOne() throws Exception {
        MoveBuilder finish = MoveBuilder.of(
                        ReservationBuilder.id("k"), grant("k").fence(), State.COMPLETED)
                .in(1_000)
                .result(bytes("r"));
        transactions.run(tx -> Ended.keep(tx.move(List.of(finish.move()))));
        List<Moved> again = transactions.run(
                tx -> Ended.undo(tx.move(List.of(finish.result(bytes("other")).move()))));
        assertThat(again).containsExactly(new Moved.Same());
        assertThat(row("k").result()).isEqualTo(bytes("r"));
    }

    @Test
    void finishThatIsRepeatedInOneTransactionAnswersSame() throws Exception {
        MoveBuilder finish = MoveBuilder.of(
                        ReservationBuilder.id("k"), grant("k").fence(), State.COMPLETED)
                .in(1_000)
                .result(bytes("r"));
        List<Moved> second = transactions.run(tx -> {
            assertThat(tx.move(List.of(finish.move()))).containsExactly(new Moved.Applied());
            return Ended.keep(tx.move(List.of(finish.move())));
        });
        assertThat(second).containsExactly(new Moved.Same());
        assertThat(row("k").result()).isEqualTo(bytes("r"));
    }

    @Test
    void dueNeighbourIsFoundUnderAnyModes() throws Exception {
        put("text/1", State.FAILED_RETRYABLE, 100, 60_000);
        pass(100);
        LookupResult lookup = transactions
                .run(tx -> Ended.undo(tx.lookUp(
                        Transactions.ANY_MODES,
                        List.of(ReservationBuilder.of(NeighbourAndStepSuite.SECOND_BUCKET)
                                .identity()))))
                .get(0);
        assertThat(lookup)
                .isInstanceOfSatisfying(
                        LookupResult.Found.class,
                        found -> assertThat(found.row().header().key()).isEqualTo("text/1"));
    }

    @Test
    void absentRecordIsFreeUnderAnyModes() throws Exception {
        List<LookupResult> lookups = transactions.run(tx -> Ended.undo(tx.lookUp(
                Transactions.ANY_MODES, List.of(ReservationBuilder.of("k").identity()))));
        assertThat(lookups).containsExactly(new LookupResult.Free());
    }

    @Test
    void thousandRecordsLandAtOnce() throws Exception {
        List<Identity> identities = new ArrayList<>();
        List<RecordWrite> writes = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            identities.add(ReservationBuilder.of("k" + i).identity());
            writes.add(completed("k" + i));
        }
        transactions.run(tx -> {
            assertThat(tx.lookUp(board.modes().version(), identities))
                    .hasSize(1_000)
                    .containsOnly(new LookupResult.Free());
            tx.write(writes);
            return Ended.keep(0);
        });
        assertThat(ledger.find(identities.stream().map(Identity::id).toList()).rows())
                .hasSize(1_000);
        assertThat(audit.behindHorizon(AuditRow.Position.START, 2_000)).hasSize(1_000);
    }

    private LookupResult look(String key) throws Exception {
        return transactions.run(tx -> Ended.undo(open(tx, key)));
    }
}
