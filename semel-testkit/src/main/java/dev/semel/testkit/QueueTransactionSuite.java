package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Enqueued;
import dev.semel.store.Line.Turn;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Work for later that is sent, and ended, together with somebody's writes. */
abstract class QueueTransactionSuite extends QueueFixture {
    private Transactions transactions;

    @SuppressWarnings("NullAway.Init")
    QueueTransactionSuite(StoreContract contract) {
        super(contract);
    }

    @BeforeEach
    void needTransactions() {
        Assumptions.assumeTrue(
                store.transactions().isPresent(), () -> store.name() + " cannot commit an application's writes");
        transactions = store.transactions().orElseThrow();
    }

    private static Enqueued enqueue(Transactions.Tx tx, ArrivalBuilder post) {
        return tx.enqueue(List.of(post.arrival())).get(0);
    }

    @Test
    void messageOfACommittedTransactionExistsWithItsEvent() throws Exception {
        ArrivalBuilder post = ArrivalBuilder.of("k")
                .in("lane")
                .sentBy(ReservationBuilder.id("sender"))
                .telling(1);
        transactions.run(tx -> {
            assertThat(enqueue(tx, post)).isEqualTo(new Enqueued.Made());
            return Ended.keep(true);
        });
        Row row = row(post.id());
        assertThat(row.header()).isEqualTo(post.header());
        assertThat(row.payload()).isEqualTo(bytes("payload"));
        assertThat(line(row).turn()).isIn(Turn.ARRIVED, Turn.HEAD);
        assertThat(row.status().at()).isEqualTo(now());
        assertThat(toldTypes(post.id())).containsExactly(1);
        assertThat(served(ClaimBuilder.of(1))).containsExactly("k");
    }

    @Test
    void messageOfARolledBackTransactionDoesNotExist() throws Exception {
        transactions.run(tx -> {
            enqueue(tx, ArrivalBuilder.of("undone").telling(1));
            return Ended.undo(true);
        });
        assertThatThrownBy(() -> transactions.run(tx -> {
                    enqueue(tx, ArrivalBuilder.of("thrown").telling(1));
                    throw new IllegalStateException("no");
                }))
                .hasStackTraceContaining("no");
        for (String key : List.of("undone", "thrown")) {
            assertThat(isThere(ArrivalBuilder.id(key))).isFalse();
            assertThat(told(ArrivalBuilder.id(key))).isEmpty();
        }
        nothingIsGranted(ClaimBuilder.of(10));
    }

    @Test
    void messageIsMovedInTheTransactionThatMadeIt() throws Exception {
        ArrivalBuilder post = ArrivalBuilder.of("k").in("lane");
        ArrivalBuilder behind = ArrivalBuilder.of("behind").in("lane");
        transactions.run(tx -> {
            assertThat(enqueue(tx, post)).isEqualTo(new Enqueued.Made());
            MoveBuilder shadowed = MoveBuilder.of(post.id(), 0, State.SHADOWED)
                    .from(State.QUEUED)
                    .in(60_000)
                    .result(bytes("result"))
                    .leaving(post.arrival().lane());
            assertThat(tx.move(List.of(shadowed.move()))).containsExactly(new Moved.Applied());
            return Ended.keep(true);
        });
        Row row = row(post.id());
        assertThat(row.state()).isEqualTo(State.SHADOWED);
        assertThat(row.payload()).isEqualTo(bytes("payload"));
        assertThat(row.result()).isEqualTo(bytes("result"));
        assertThat(line(row).turn()).isEqualTo(Turn.OUT);
        assertThat(line(row).lane()).isEqualTo(post.arrival().lane());
        assertThat(row.status().at()).isEqualTo(now() + 60_000);
        enqueue(behind);
        assertThat(served(ClaimBuilder.of(10))).containsExactly("behind");
    }

    @Test
    void recordIsRemovedAndMadeAgainInOneTransaction() throws Exception {
        ArrivalBuilder post = ArrivalBuilder.of("k");
        enqueue(post);
        for (boolean kept : List.of(false, true)) {
            transactions.run(tx -> {
                assertThat(tx.move(List.of(MoveBuilder.removing(post.id(), 0)
                                .from(State.QUEUED)
                                .leaving(null)
                                .move())))
                        .containsExactly(new Moved.Applied());
                assertThat(enqueue(tx, ArrivalBuilder.of("k").fingerprinted(2))).isEqualTo(new Enqueued.Made());
                return kept ? Ended.keep(true) : Ended.undo(true);
            });
            assertThat(row(post.id())
                            .header()
                            .fingerprint()
                            .equals(ArrivalBuilder.of("k").header().fingerprint()))
                    .isEqualTo(!kept);
        }
        assertThat(served(ClaimBuilder.of(10))).containsExactly("k");
    }

    @Test
    void messageIsInvisibleBeforeTheCommit() throws Exception {
        Assumptions.assumeFalse(contract.hasOneWriter(), "one writer at a time: nobody else can claim meanwhile");
        transactions.run(tx -> {
            enqueue(tx, ArrivalBuilder.of("k"));
            assertThat(elsewhere(() -> claim(ClaimBuilder.of(1)).rows())).isEmpty();
            return Ended.keep(true);
        });
        assertThat(served(ClaimBuilder.of(1))).containsExactly("k");
    }

    @Test
    void rolledBackPartRemovesOnlyItsOwnMessages() throws Exception {
        transactions.run(tx -> {
            enqueue(tx, ArrivalBuilder.of("before"));
            tx.part(() -> {
                enqueue(tx, ArrivalBuilder.of("undone").telling(1));
                return Ended.undo(true);
            });
            tx.part(() -> {
                enqueue(tx, ArrivalBuilder.of("kept").telling(1));
                return Ended.keep(true);
            });
            enqueue(tx, ArrivalBuilder.of("after"));
            return Ended.keep(true);
        });
        assertThat(isThere(ArrivalBuilder.id("undone"))).isFalse();
        assertThat(told(ArrivalBuilder.id("undone"))).isEmpty();
        assertThat(toldTypes(ArrivalBuilder.id("kept"))).containsExactly(1);
        assertThat(served(ClaimBuilder.of(10))).containsExactlyInAnyOrder("before", "kept", "after");
    }

    @Test
    void existingMessageIsFoundInATransactionAlsoIfItWasSentThere() throws Exception {
        send(ArrivalBuilder.of("there"));
        put("old", State.COMPLETED, 1_000, 0);
        pass(1_000);
        transactions.run(tx -> {
            assertThat(existing(enqueue(tx, ArrivalBuilder.of("there").fingerprinted(2)))
                            .header())
                    .isEqualTo(ArrivalBuilder.of("there").header());
            assertThat(enqueue(tx, ArrivalBuilder.of("own").telling(1))).isEqualTo(new Enqueued.Made());
            Row own = existing(
                    enqueue(tx, ArrivalBuilder.of("own").fingerprinted(2).telling(1)));
            assertThat(own.header()).isEqualTo(ArrivalBuilder.of("own").header());
            assertThat(own.state()).isEqualTo(State.QUEUED);
            assertThat(enqueue(tx, ArrivalBuilder.of("old").to(ReservationBuilder.OPERATION)))
                    .isEqualTo(new Enqueued.Made());
            return Ended.keep(true);
        });
        assertThat(toldTypes(ArrivalBuilder.id("own"))).containsExactly(1);
        assertThat(row("old").state()).isEqualTo(State.QUEUED);
    }

    @Test
    void batchSentInATransactionKeepsItsOrderInTheLane() throws Exception {
        sendTo("lane", "x1");
        transactions.run(tx -> {
            tx.enqueue(List.of(
                    ArrivalBuilder.of("x9").in("lane").arrival(),
                    ArrivalBuilder.of("x2").in("lane").arrival()));
            enqueue(tx, ArrivalBuilder.of("x5").in("lane"));
            return Ended.keep(true);
        });
        sendTo("lane", "x3");
        assertThat(served(ClaimBuilder.of(10).runsOf(1))).containsExactly("x1", "x9", "x2", "x5", "x3");
    }

    @Test
    void d2_oneThatIsSentEarlierAndCommittedLaterIsPlacedLaterAndNeverSkipped() throws Exception {
        Assumptions.assumeFalse(contract.hasOneWriter(), "one writer at a time: the order of commits is that of sends");
        transactions.run(tx -> {
            enqueue(tx, ArrivalBuilder.of("early").in("lane"));
            elsewhere(() -> {
                sendTo("lane", "x1", "x2", "x3");
                Row head = grantedOne(ClaimBuilder.of(1));
                assertThat(head.header().key()).isEqualTo("x1");
                complete(head);
                return grantedOne(ClaimBuilder.of(1));
            });
            return Ended.keep(true);
        });
        sendTo("lane", "x4");
        complete(posted("x2"));
        List<String> rest = served(ClaimBuilder.of(10).runsOf(1));
        assertThat(rest).containsExactlyInAnyOrder("x3", "early", "x4");
        assertThat(rest.get(0)).isEqualTo("x3");
    }

    @Test
    void d2_messageWithoutALaneThatIsCommittedLateIsNotSkippedEither() throws Exception {
        Assumptions.assumeFalse(contract.hasOneWriter(), "one writer at a time: the order of commits is that of sends");
        transactions.run(tx -> {
            enqueue(tx, ArrivalBuilder.of("early"));
            elsewhere(() -> {
                send(ArrivalBuilder.of("late"));
                return served(ClaimBuilder.of(10));
            });
            return Ended.keep(true);
        });
        assertThat(served(ClaimBuilder.of(10))).containsExactly("early");
    }

    @Test
    void whoLeavesInATransactionMakesTheNextOneTheHeadWithItsCommit() throws Exception {
        sendTo("lane", "x1", "x2", "x3");
        List<Row> run = granted(ClaimBuilder.of(3));
        transactions.run(tx -> {
            assertThat(tx.move(List.of(completing(run.get(0)).move()))).containsExactly(new Moved.Applied());
            return Ended.undo(true);
        });
        assertThat(line("x1").turn()).isEqualTo(Turn.HEAD);
        assertThat(posted("x1").state()).isEqualTo(State.IN_PROGRESS);
        transactions.run(tx -> {
            tx.move(List.of(
                    completing(run.get(0)).move(), completing(run.get(1)).move()));
            enqueue(tx, ArrivalBuilder.of("x4").in("lane"));
            return Ended.keep(true);
        });
        assertThat(line("x1").turn()).isEqualTo(Turn.OUT);
        assertThat(line("x3").turn()).isEqualTo(Turn.HEAD);
        complete(run.get(2));
        assertThat(served(ClaimBuilder.of(1))).containsExactly("x4");
    }

    @Test
    void a2_moveUnderAnOldFenceIsRejectedInATransaction() throws Exception {
        sendTo("lane", "x1", "x2");
        Row stale = grantedOne(ClaimBuilder.of(1).leasedFor(1_000));
        pass(1_000);
        Row head = grantedOne(ClaimBuilder.of(1));
        transactions.run(tx -> {
            enqueue(tx, ArrivalBuilder.of("further"));
            assertThat(tx.move(List.of(completing(stale).move())))
                    .singleElement()
                    .isInstanceOf(Moved.Refused.class);
            return Ended.undo(true);
        });
        assertThat(posted("x1").status()).isEqualTo(head.status());
        assertThat(isThere(ArrivalBuilder.id("further"))).isFalse();
    }

    private static MoveBuilder completing(Row row) {
        return shift(row, State.COMPLETED).in(1_000).leaving(line(row).lane());
    }
}
