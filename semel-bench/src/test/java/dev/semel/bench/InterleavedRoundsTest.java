package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class InterleavedRoundsTest {
    @Test
    void everyCallerCallsAndEveryOperationIsCounted() {
        AtomicIntegerArray calls = new AtomicIntegerArray(4);
        Cell cell = Cell.of("cell", 4, calls::incrementAndGet).inBatchesOf(10);
        try (InterleavedRounds rounds = new InterleavedRounds()) {
            Timing timing = rounds.count(cell, 200);
            assertThat(timing.operations()).isEqualTo(200);
            assertThat(timing.perSecond()).isPositive();
        }
        for (int i = 0; i < 4; i++) {
            assertThat(calls.get(i)).isEqualTo(5);
        }
    }

    @Test
    void cellsTakeTurnsInAlternatingOrderAfterTheirWarmUp() {
        ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();
        Cell a = Cell.of("a", 1, caller -> order.add("a")).limited(1);
        Cell b = Cell.of("b", 1, caller -> order.add("b")).limited(1);
        try (InterleavedRounds rounds = new InterleavedRounds()) {
            List<Timing> timings = rounds.run(Duration.ofHours(1).dividedBy(3_600), List.of(a, b));
            assertThat(timings)
                    .allSatisfy(timing -> assertThat(timing.operations()).isEqualTo(3));
            assertThat(timings.get(0).ratioTo(timings.get(1))).isPositive();
        }
        assertThat(order).containsExactly("a", "b", "a", "b", "b", "a", "a", "b");
    }

    @Test
    void roundIsPreparedFirst() {
        AtomicInteger prepared = new AtomicInteger();
        Cell cell = Cell.of("cell", 1, caller -> assertThat(prepared).hasPositiveValue())
                .preparedBy(caller -> prepared.incrementAndGet());
        try (InterleavedRounds rounds = new InterleavedRounds()) {
            rounds.count(cell, 3);
        }
        assertThat(prepared).hasValue(1);
    }

    @Test
    void callThatFailsEndsTheBenchWithItsReason() {
        Cell broken = Cell.of("broken", 2, caller -> {
            throw new IllegalArgumentException("no such thing");
        });
        Cell away = Cell.of("away", 1, caller -> {
            throw new SemelException.StoreUnavailable("gone");
        });
        try (InterleavedRounds rounds = new InterleavedRounds()) {
            assertThatThrownBy(() -> rounds.count(broken, 10)).hasMessageContaining("broken", "no such thing");
            assertThatThrownBy(() -> rounds.count(away, 10)).isInstanceOf(SemelException.StoreUnavailable.class);
        }
    }

    @Test
    void wrongAnswerIsNotMeasured() {
        assertThatThrownBy(() -> Work.expect(String.class, null)).hasMessageContaining("Expected String");
    }

    @Test
    void medianIsTheMiddle() {
        assertThat(Timing.median(List.of())).isZero();
        assertThat(Timing.median(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
        assertThat(Timing.median(List.of(4.0, 1.0, 2.0, 9.0))).isEqualTo(3);
    }

    @Test
    void intakeBelowTheTargetIsExcusedOnlyByTheMachinesOwnLimit() {
        assertThat(Intake.judge(List.of(new Intake("sqlite", 120_000, 200_000))).met())
                .isTrue();
        assertThat(Intake.judge(List.of(new Intake("a", 60_000, 99_000), new Intake("b", 70_000, 180_000)))
                        .met())
                .isFalse();
        Report.Target excused = Intake.judge(List.of(new Intake("a", 60_000, 80_000)));
        assertThat(excused.met()).isTrue();
        assertThat(excused.note()).contains("a 60000/s, without Semel 80000/s", "does not take 100000");
    }
}
