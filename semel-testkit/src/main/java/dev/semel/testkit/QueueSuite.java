package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Enqueued;
import dev.semel.store.Line.Turn;
import dev.semel.store.Queue.Backlog;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Work is taken in for later, once, and stands there until somebody claims it. */
abstract class QueueSuite extends QueueFixture {
    QueueSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void aMessageIsKeptAsItCame() {
        ArrivalBuilder post =
                ArrivalBuilder.of("k").in("lane").notAfter(START + 9_000).with(bytes("what to do"));
        send(post);
        Row row = row(post.id());
        assertThat(row.header()).isEqualTo(post.header());
        assertThat(row.payload()).isEqualTo(bytes("what to do"));
        assertThat(row.result()).isNull();
        assertThat(row.failure()).isNull();
        assertThat(row.status()).isEqualTo(new Status(State.QUEUED, 0, 0, now(), 0, 0));
        assertThat(line(row).lane()).isEqualTo(post.lane());
        assertThat(line(row).turn()).isIn(Turn.ARRIVED, Turn.HEAD);
        assertThat(line(row).deadline()).isEqualTo(START + 9_000);
        assertThat(row.isStep()).isFalse();
    }

    @Test
    void messageMayHaveNeitherLaneNorPayload() {
        send(ArrivalBuilder.of("k").with(null));
        assertThat(line("k").turn()).isEqualTo(Turn.FREE);
        assertThat(line("k").lane()).isNull();
        assertThat(line("k").deadline()).isEqualTo(Status.NEVER);
        assertThat(posted("k").payload()).isNull();
    }

    @Test
    void laterOfDelayAndStartSaysWhenItIsDue() {
        send(ArrivalBuilder.of("delay").after(1_000));
        send(ArrivalBuilder.of("start").notBefore(START + 2_000));
        send(ArrivalBuilder.of("delay wins").after(3_000).notBefore(START + 1));
        send(ArrivalBuilder.of("start wins").after(1).notBefore(START + 4_000));
        send(ArrivalBuilder.of("past").notBefore(START - 5_000));
        send(ArrivalBuilder.of("never").after(Status.NEVER));
        assertThat(posted("delay").status().at()).isEqualTo(START + 1_000);
        assertThat(posted("start").status().at()).isEqualTo(START + 2_000);
        assertThat(posted("delay wins").status().at()).isEqualTo(START + 3_000);
        assertThat(posted("start wins").status().at()).isEqualTo(START + 4_000);
        assertThat(posted("past").status().at()).isEqualTo(START);
        assertThat(posted("never").status().at()).isEqualTo(Status.NEVER);
    }

    @Test
    void delayedMessageOfALaneHasNoPlaceInItYet() {
        send(ArrivalBuilder.of("later").in("lane").after(1_000));
        assertThat(line("later").turn()).isEqualTo(Turn.LATER);
    }

    @Test
    void existingRecordIsNotChangedInAnyState() {
        for (State state : State.values()) {
            String key = state.name();
            long fence = put(key, state, 100_000, 0);
            ArrivalBuilder again = ArrivalBuilder.of(key)
                    .to(ReservationBuilder.OPERATION)
                    .fingerprinted(2)
                    .in("lane")
                    .telling(1);
            Row found = existing(enqueue(again));
            assertThat(found.state()).isEqualTo(state);
            assertThat(found.header()).isEqualTo(ReservationBuilder.of(key).header());
            assertThat(row(key).status().fence()).isEqualTo(fence);
            assertThat(row(key).line()).isNull();
            assertThat(events(key)).isEmpty();
        }
    }

    @Test
    void messageSentAgainIsFoundAsTheFirstOneLeftIt() {
        send(ArrivalBuilder.of("k").in("lane").telling(1));
        Row first = posted("k");
        Row found = existing(enqueue(
                ArrivalBuilder.of("k").fingerprinted(2).in("other").after(5_000).telling(1)));
        assertThat(found.header()).isEqualTo(ArrivalBuilder.of("k").header());
        assertThat(found.payload()).isEqualTo(bytes("payload"));
        assertThat(found.line()).isEqualTo(first.line());
        assertThat(posted("k").line()).isEqualTo(first.line());
        assertThat(posted("k").status()).isEqualTo(first.status());
        assertThat(toldTypes(ArrivalBuilder.id("k"))).containsExactly(1);
    }

    @Test
    void expiredRecordIsReplacedCompletely() {
        for (State state : State.values()) {
            if (state.finished() || state == State.FAILED_RETRYABLE) {
                String key = state.name();
                put(key, state, 1_000, state.finished() ? 0 : 1_000);
                pass(2_000);
                ArrivalBuilder post = ArrivalBuilder.of(key)
                        .to(ReservationBuilder.OPERATION)
                        .fingerprinted(2)
                        .with(bytes("new"))
                        .telling(1);
                send(post);
                Row row = row(post.id());
                assertThat(row.header()).isEqualTo(post.header());
                assertThat(row.status()).isEqualTo(new Status(State.QUEUED, 0, 0, now(), 0, 0));
                assertThat(row.payload()).isEqualTo(bytes("new"));
                assertThat(row.result()).isNull();
                assertThat(line(row).turn()).isEqualTo(Turn.FREE);
                assertThat(events(key)).containsExactly(1);
            }
        }
    }

    @Test
    void recreatedRecordHasNoneOfTheEarlierSteps() {
        long fence = grant("parent").fence();
        grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), fence));
        apply(MoveBuilder.of(ReservationBuilder.id("parent"), fence, State.COMPLETED)
                .in(1_000));
        pass(1_000);
        send(ArrivalBuilder.of("parent").to(ReservationBuilder.OPERATION));
        assertThat(ledger.steps(ReservationBuilder.id("parent"))).isEmpty();
        assertThat(exists("step")).isFalse();
    }

    @Test
    void eventOfANewRecordHasNoGrant() {
        send(ArrivalBuilder.of("k").telling(5));
        assertThat(told(ArrivalBuilder.id("k")))
                .singleElement()
                .satisfies(row -> assertThat(row.entry())
                        .usingRecursiveComparison()
                        .isEqualTo(ArrivalBuilder.of("k").event(5)));
    }

    @Test
    void batchIsAnsweredOneByOneInItsOrder() {
        send(ArrivalBuilder.of("there"));
        List<Enqueued> answers = queue.enqueue(List.of(
                ArrivalBuilder.of("new").arrival(),
                ArrivalBuilder.of("there").arrival(),
                ArrivalBuilder.of("another").of(dev.semel.Tenant.of("other")).arrival()));
        assertThat(answers.get(0)).isEqualTo(new Enqueued.Made());
        assertThat(existing(answers.get(1)).header().key()).isEqualTo("there");
        assertThat(answers.get(2)).isEqualTo(new Enqueued.Made());
        assertThat(queue.enqueue(List.of())).isEmpty();
    }

    @Test
    void placesGrowInTheOrderOfABatchAndFromBatchToBatch() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            keys.add("k" + i);
        }
        Collections.shuffle(keys, new java.util.Random(3));
        List<Enqueued> made = new ArrayList<>();
        made.addAll(queue.enqueue(keys.subList(0, 30).stream()
                .map(key -> ArrivalBuilder.of(key).in("lane").arrival())
                .toList()));
        made.addAll(queue.enqueue(keys.subList(30, 50).stream()
                .map(key -> ArrivalBuilder.of(key).in("lane").arrival())
                .toList()));
        assertThat(made).hasSize(50).containsOnly(new Enqueued.Made());
        assertThat(keys.stream().map(key -> line(key).place())).isSorted().doesNotHaveDuplicates();
        assertThat(served(ClaimBuilder.of(7))).isEqualTo(keys);
    }

    @Test
    void messageSentByManyAtOnceIsMadeOnce() throws Exception {
        for (int round = 0; round < 5; round++) {
            ArrivalBuilder post = ArrivalBuilder.of("k" + round).in("lane").telling(1);
            List<Enqueued> answers = atOnce(THREADS, n -> enqueue(post));
            assertThat(Collections.frequency(answers, new Enqueued.Made())).isEqualTo(1);
            assertThat(toldTypes(post.id())).containsExactly(1);
        }
    }

    @Test
    void messageIsNoStepOfItsSenderAndOutlivesIt() {
        long fence = grant("parent").fence();
        long step = grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), fence))
                .fence();
        apply(MoveBuilder.of(ReservationBuilder.id("step"), step, State.COMPLETED));
        send(ArrivalBuilder.of("child").sentBy(ReservationBuilder.id("parent")).in("lane"));
        assertThat(keys(ledger.steps(ReservationBuilder.id("parent")))).containsExactly("step");
        assertThat(keys(ledger.overdue(State.QUEUED, List.of(ArrivalBuilder.CHANNEL), Cursor.OLDEST, 10)))
                .containsExactly("child");

        apply(MoveBuilder.of(ReservationBuilder.id("parent"), fence, State.COMPLETED)
                .in(1_000));
        pass(1_000);
        ledger.purge(10, counts -> List.of());
        assertThat(exists("parent")).isFalse();
        assertThat(exists("step")).isFalse();
        assertThat(posted("child").header().parent()).isEqualTo(ReservationBuilder.id("parent"));
        assertThat(served(ClaimBuilder.of(1))).containsExactly("child");
    }

    @Test
    void messageOutlivesASenderThatIsForgottenOrRecreated() {
        long fence = grant("forgotten").fence();
        send(ArrivalBuilder.of("one").sentBy(ReservationBuilder.id("forgotten")));
        apply(MoveBuilder.removing(ReservationBuilder.id("forgotten"), fence));
        assertThat(isThere(ArrivalBuilder.id("one"))).isTrue();

        long old = put("anew", State.COMPLETED, 1_000, 0);
        send(ArrivalBuilder.of("two").sentBy(ReservationBuilder.id("anew")));
        pass(1_000);
        assertThat(grant("anew").fence()).isGreaterThan(old);
        assertThat(isThere(ArrivalBuilder.id("two"))).isTrue();
        assertThat(served(ClaimBuilder.of(2))).containsExactlyInAnyOrder("one", "two");
    }

    @Test
    void messageKeepsItsOwnSteps() {
        send(ArrivalBuilder.of("k").in("lane"));
        Row claimed = grantedOne(ClaimBuilder.of(1));
        grant(ReservationBuilder.of("step").under(claimed.id(), claimed.status().fence()));
        assertThat(keys(ledger.steps(claimed.id()))).containsExactly("step");
        apply(shift(claimed, State.COMPLETED).in(0).leaving(line(claimed).lane()));
        ledger.purge(10, counts -> List.of());
        assertThat(isThere(claimed.id())).isFalse();
        assertThat(exists("step")).isFalse();
    }

    @Test
    void backlogHasTheNumberAndTheAgeOfWaitingRecords() {
        assertThat(queue.backlog(ArrivalBuilder.CHANNEL)).isEqualTo(new Backlog(0, Status.NEVER, 0));
        send(ArrivalBuilder.of("later").after(10_000));
        assertThat(queue.backlog(ArrivalBuilder.CHANNEL)).isEqualTo(new Backlog(1, Status.NEVER, 0));
        send(ArrivalBuilder.of("other").to("chat"));
        put("direct", State.FAILED_RETRYABLE, 0, 0);
        pass(100);
        sendTo("lane", "a", "b");
        pass(50);
        send(ArrivalBuilder.of("free"));
        assertThat(queue.backlog(ArrivalBuilder.CHANNEL)).isEqualTo(new Backlog(4, START + 100, 0));

        Row head = grantedOne(ClaimBuilder.of(1).runsOf(1));
        assertThat(queue.backlog(ArrivalBuilder.CHANNEL).waiting()).isEqualTo(3);
        retry(head, 1_000);
        assertThat(queue.backlog(ArrivalBuilder.CHANNEL).waiting()).isEqualTo(4);
        assertThat(queue.backlog(ReservationBuilder.OPERATION).waiting()).isZero();
        assertThat(queue.backlog("nobody")).isEqualTo(new Backlog(0, Status.NEVER, 0));
    }

    @Test
    void operationsAreListedWhileARecordWaitsRunsOrHoldsItsLane() {
        put("direct", State.FAILED_RETRYABLE, 0, 0);
        assertThat(queue.operations()).isEmpty();
        for (int i = 0; i < 3; i++) {
            send(ArrivalBuilder.of("a" + i).to("alpha"));
            send(ArrivalBuilder.of("b" + i).to("beta").after(10_000));
            send(ArrivalBuilder.of("m" + i).in("lane"));
        }
        assertThat(queue.operations()).containsExactlyInAnyOrder("alpha", "beta", ArrivalBuilder.CHANNEL);

        Row head = grantedOne(ClaimBuilder.of(1).runsOf(1));
        assertThat(queue.operations()).contains(ArrivalBuilder.CHANNEL);
        apply(shift(head, State.FAILED_TERMINAL).in(10_000));
        assertThat(queue.operations()).contains(ArrivalBuilder.CHANNEL);
        apply(shift(head, State.DISCARDED)
                .from(State.FAILED_TERMINAL)
                .in(10_000)
                .leaving(line(head).lane()));
        for (Row row : all(ClaimBuilder.of(10))) {
            apply(shift(row, State.COMPLETED).in(10_000).leaving(line(row).lane()));
        }
        assertThat(queue.operations()).containsExactlyInAnyOrder("alpha", "beta");
    }

    @Test
    void backlogCountsLanesThatADeadOrAnUnknownHeadHoldsUp() {
        sendTo("dead", "d1", "d2");
        sendTo("unknown", "u1");
        sendTo("aside", "a1");
        sendTo("open", "o1");
        for (Row row : all(ClaimBuilder.of(10).runsOf(1))) {
            switch (row.header().key()) {
                case "d1" -> die(row);
                case "u1" -> apply(shift(row, State.UNKNOWN).in(0));
                case "a1" -> dieAside(row);
                default -> retry(row, 0);
            }
        }
        assertThat(queue.backlog(ArrivalBuilder.CHANNEL)).isEqualTo(new Backlog(2, START, 2));
        assertThat(queue.backlog("chat").parkedLanes()).isZero();
    }
}
