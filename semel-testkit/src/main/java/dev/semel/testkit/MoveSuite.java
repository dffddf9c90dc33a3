package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Conditional writes: applied, repeated, and rejected moves. */
abstract class MoveSuite extends ContractSuite {
    MoveSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void moveFromTheCurrentStateReachesEveryOther() {
        for (State from : State.values()) {
            for (State to : State.values()) {
                if (from != to) {
                    String key = from + " to " + to;
                    long fence = put(key, from, 50_000, 0);
                    apply(MoveBuilder.of(ReservationBuilder.id(key), fence, to)
                            .from(from)
                            .in(70_000));
                    assertThat(status(key).state()).as(key).isEqualTo(to);
                    assertThat(status(key).fence()).as(key).isEqualTo(fence);
                    assertThat(status(key).at()).as(key).isEqualTo(now() + 70_000);
                }
            }
        }
    }

    @Test
    void moveFromOtherStatesIsRejected() {
        for (State from : State.values()) {
            for (State to : State.values()) {
                if (from != to) {
                    String key = from + " to " + to;
                    long fence = put(key, from, 50_000, 0);
                    Status before = status(key);
                    Set<State> others = EnumSet.complementOf(EnumSet.of(from));
                    assertThat(move(MoveBuilder.of(ReservationBuilder.id(key), fence, to)
                                    .from(others)))
                            .as(key)
                            .isEqualTo(new Moved.Refused(before));
                    assertThat(status(key)).isEqualTo(before);
                }
            }
        }
    }

    @Test
    void completedRecordTakesAnotherResultUnderItsFenceOnly() {
        long fence = put("k", State.COMPLETED, 50_000, 0);
        Status before = status("k");
        assertThat(move(MoveBuilder.of(ReservationBuilder.id("k"), fence - 1, State.COMPLETED)
                        .from(State.COMPLETED)
                        .result(new byte[] {1})))
                .isEqualTo(new Moved.Refused(before));
        for (int i = 0; i < 2; i++) {
            assertThat(move(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.COMPLETED)
                            .from(State.COMPLETED)
                            .in(60_000)
                            .result(new byte[] {2})))
                    .isEqualTo(new Moved.Applied());
            assertThat(row("k").result()).isEqualTo(new byte[] {2});
            assertThat(status("k").at()).isEqualTo(now() + 60_000);
        }
    }

    @Test
    void expiredRecordIsRemovedButNotChanged() {
        for (State from : State.values()) {
            long keep = from == State.FAILED_RETRYABLE ? 40 : 0;
            State to = from == State.QUEUED ? State.DISCARDED : State.QUEUED;
            for (byte[] failure : new byte[][] {null, {1}}) {
                String key = from + (failure == null ? " alike" : " with a failure");
                long fence = put(key, from, 60, keep);
                MoveBuilder back = MoveBuilder.of(ReservationBuilder.id(key), fence, to)
                        .from(from)
                        .in(10)
                        .failure(failure);
                pass(60 + keep);
                Status before = status(key);
                if (from.finished() || keep > 0) {
                    assertThat(move(back)).as(key).isEqualTo(new Moved.Refused(before));
                    assertThat(status(key)).as(key).isEqualTo(before);
                    apply(MoveBuilder.removing(ReservationBuilder.id(key), fence)
                            .from(from));
                    assertThat(exists(key)).as(key).isFalse();
                } else {
                    apply(back);
                }
            }
        }
    }

    @Test
    void recordAboutToExpireIsChanged() {
        for (State from : List.of(State.COMPLETED, State.FAILED_TERMINAL, State.SHADOWED, State.DISCARDED)) {
            long fence = put(from.name(), from, 60, 0);
            pass(59);
            apply(MoveBuilder.of(ReservationBuilder.id(from.name()), fence, State.QUEUED)
                    .from(from)
                    .in(10));
        }
        long fence = put("failed", State.FAILED_RETRYABLE, 60, 40);
        pass(99);
        apply(MoveBuilder.of(ReservationBuilder.id("failed"), fence, State.DISCARDED)
                .from(State.FAILED_RETRYABLE)
                .in(10));
    }

    @Test
    void moveUnderAnotherFenceIsRejected() {
        long fence = grant("k").fence();
        Status before = status("k");
        for (long other : new long[] {fence - 1, fence + 1, 0, -1}) {
            assertThat(move(MoveBuilder.of(ReservationBuilder.id("k"), other, State.COMPLETED)
                            .with(event("k"))))
                    .isEqualTo(new Moved.Refused(before));
        }
        assertThat(status("k")).isEqualTo(before);
        assertThat(events("k")).isEmpty();
    }

    @Test
    void moveOfAnAbsentRecordIsRejectedAndMakesNone() {
        assertThat(move(MoveBuilder.of(ReservationBuilder.id("k"), 1, State.COMPLETED)
                        .from(State.values())))
                .isEqualTo(new Moved.Refused(null));
        assertThat(exists("k")).isFalse();
    }

    @Test
    void moveWritesAllOfItsChange() {
        long fence = grant("k").fence();
        pass(5);
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.FAILED_RETRYABLE)
                .in(1_000)
                .keptFor(2_000)
                .attempt(7)
                .result(bytes("r"))
                .failure(bytes("{\"f\":1}")));
        Row row = row("k");
        assertThat(row.status().state()).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(row.status().fence()).isEqualTo(fence);
        assertThat(row.status().attempt()).isEqualTo(7);
        assertThat(row.status().at()).isEqualTo(now() + 1_000);
        assertThat(row.status().keepMillis()).isEqualTo(2_000);
        assertThat(row.result()).isEqualTo(bytes("r"));
        assertThat(row.failure()).isEqualTo(bytes("{\"f\":1}"));
        assertThat(row.header()).isEqualTo(ReservationBuilder.of("k").header());
    }

    @Test
    void moveWritesAbsentValuesAndKeepsTheAttemptIfRequested() {
        long fence = grant("k").fence();
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.FAILED_RETRYABLE)
                .in(0)
                .keptFor(9)
                .result(bytes("r"))
                .failure(bytes("{}")));
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.FAILED_TERMINAL)
                .from(State.FAILED_RETRYABLE));
        Row row = row("k");
        assertThat(row.result()).isNull();
        assertThat(row.failure()).isNull();
        assertThat(row.status().attempt()).isEqualTo(1);
        assertThat(row.status().keepMillis()).isZero();
        assertThat(row.status().at()).isEqualTo(Status.NEVER);
    }

    @Test
    void sameMoveAgainIsTheSameAndWritesNothing() {
        long fence = grant("k").fence();
        MoveBuilder first = MoveBuilder.of(ReservationBuilder.id("k"), fence, State.COMPLETED)
                .in(1_000)
                .result(bytes("first"))
                .with(event("k"));
        apply(first);
        pass(10);
        assertThat(move(first)).isEqualTo(new Moved.Same());
        assertThat(move(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.COMPLETED)
                        .in(9_000)
                        .result(bytes("second"))
                        .with(event("k"))))
                .isEqualTo(new Moved.Same());
        assertThat(row("k").result()).isEqualTo(bytes("first"));
        assertThat(status("k").at()).isEqualTo(START + 1_000);
        assertThat(events("k")).hasSize(1);
    }

    @Test
    void moveThatWaitsForTheEndIsAppliedAtItAndNotBefore() {
        for (State from : List.of(State.IN_PROGRESS, State.FAILED_RETRYABLE)) {
            String key = from.name();
            long start = now();
            long fence = put(key, from, 1_000, 0);
            MoveBuilder shift = MoveBuilder.of(ReservationBuilder.id(key), fence, State.UNKNOWN)
                    .from(from)
                    .onlyIfOver();
            pass(999);
            assertThat(move(shift)).isEqualTo(new Moved.Refused(status(key)));
            assertThat(status(key).at()).isEqualTo(start + 1_000);
            pass(1);
            apply(shift);
            assertThat(status(key).state()).isEqualTo(State.UNKNOWN);
        }
    }

    @Test
    void recordCanBeRemovedWithItsSteps() {
        long fence = grant("k").fence();
        grant(ReservationBuilder.of("step").under(ReservationBuilder.id("k"), fence));
        grant("other");
        MoveBuilder removal =
                MoveBuilder.removing(ReservationBuilder.id("k"), fence).with(event("k"));
        apply(removal);
        assertThat(exists("k")).isFalse();
        assertThat(exists("step")).isFalse();
        assertThat(exists("other")).isTrue();
        assertThat(events("k")).hasSize(1);

        assertThat(move(removal)).isEqualTo(new Moved.Same());
        assertThat(events("k")).hasSize(1);
    }

    @Test
    void removalUnderAnotherFenceOrFromAnotherStateIsRejected() {
        long fence = grant("k").fence();
        Status before = status("k");
        assertThat(move(MoveBuilder.removing(ReservationBuilder.id("k"), fence + 1)))
                .isEqualTo(new Moved.Refused(before));
        assertThat(move(MoveBuilder.removing(ReservationBuilder.id("k"), fence).from(State.COMPLETED)))
                .isEqualTo(new Moved.Refused(before));
        assertThat(status("k")).isEqualTo(before);
    }

    @Test
    void eventOfAMoveHasTheNewFenceAndAttempt() {
        long fence = grant("k").fence();
        pass(3);
        AuditEntry given = event("k");
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.FAILED_RETRYABLE)
                .in(0)
                .attempt(4)
                .with(given));
        List<AuditRow> events = audit.newest(AuditFilter.of(ReservationBuilder.id("k")), 10);
        assertThat(events).hasSize(1);
        assertThat(events.get(0).at()).isEqualTo(now());
        assertThat(events.get(0).entry())
                .usingRecursiveComparison()
                .isEqualTo(new AuditEntry(given.type(), given.subject(), given.policy(), fence, 4, given.body()));
    }

    @Test
    void rejectedMoveWritesNoEvent() {
        long fence = grant("k").fence();
        move(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.COMPLETED)
                .from(State.UNKNOWN)
                .with(event("k")));
        move(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.UNKNOWN)
                .onlyIfOver()
                .with(event("k")));
        assertThat(events("k")).isEmpty();
    }

    @Test
    void batchIsAnsweredItemByItemInOrderAndARefusalHoldsNothingUp() {
        long z = grant("z").fence();
        long a = grant("a").fence();
        long done = put("done", State.COMPLETED, 10_000, 0);
        List<Moved> answers = ledger.move(List.of(
                MoveBuilder.of(ReservationBuilder.id("z"), z, State.COMPLETED)
                        .with(event("z"))
                        .move(),
                MoveBuilder.of(ReservationBuilder.id("a"), a + 1, State.COMPLETED)
                        .with(event("a"))
                        .move(),
                MoveBuilder.of(ReservationBuilder.id("done"), done, State.COMPLETED)
                        .with(event("done"))
                        .move(),
                MoveBuilder.removing(ReservationBuilder.id("absent"), 1)
                        .with(event("absent"))
                        .move(),
                MoveBuilder.of(ReservationBuilder.id("absent too"), 1, State.COMPLETED)
                        .move()));
        assertThat(answers)
                .containsExactly(
                        new Moved.Applied(),
                        new Moved.Refused(status("a")),
                        new Moved.Same(),
                        new Moved.Same(),
                        new Moved.Refused(null));
        assertThat(events("z")).hasSize(1);
        assertThat(audit.newest(AuditFilter.ALL, 10)).hasSize(1);
        assertThat(ledger.move(List.of())).isEmpty();
    }

    @Test
    void ownersLateFinishOfAnUnknownRecordIsAppliedUnderItsFence() {
        long fence = put("k", State.UNKNOWN, 0, 0);
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.COMPLETED)
                .from(State.IN_PROGRESS, State.UNKNOWN)
                .in(1_000)
                .result(bytes("late")));
        assertThat(row("k").result()).isEqualTo(bytes("late"));
    }

    private static AuditEntry event(String key) {
        return ReservationBuilder.of(key).event(3);
    }
}
