package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DemoTrafficTest {
    private final ManualTime time = new ManualTime(0);
    private final DemoTraffic traffic = new DemoTraffic(time, new SplittableRandom(1));

    @Test
    void everyPaymentIsRequestedAtLeastThreeTimes() {
        assertThat(IntStream.range(0, 12).map(i -> next()).boxed())
                .startsWith(1, 1, 1, 2, 2, 2)
                .hasSize(12);
        List<Integer> many = IntStream.range(0, 1_000).map(i -> next()).boxed().toList();
        assertThat(many).as("latecomers too").anyMatch(number -> number < many.get(0) + 200);
        assertThat(traffic.tally().asked()).isEqualTo(1_012);
    }

    @Test
    void callerWithoutResultRetriesAfterAPause() {
        int number = next();
        traffic.answered(number, DemoAnswer.IN_PROGRESS);
        traffic.close();
        assertThat(traffic.next()).isEmpty();
        assertThat(traffic.settled()).isFalse();
        assertThat(traffic.tally().unanswered()).isEqualTo(1);
        time.advance(Duration.ofMillis(200));
        assertThat(traffic.next()).hasValue(number);
        traffic.answered(number, DemoAnswer.REPLAYED);
        assertThat(traffic.settled()).isTrue();
        assertThat(traffic.tally().retried()).isEqualTo(1);
        assertThat(traffic.tally().unanswered()).isZero();
        assertThat(traffic.acknowledged().get(number)).isTrue();
    }

    @Test
    void callerOfACrashedProcessRetriesAtOnce() {
        int number = next();
        traffic.close();
        traffic.cutOff(List.of(number));
        assertThat(traffic.next()).hasValue(number);
    }

    @Test
    void bankMakesATransferOnceForEachKey() {
        traffic.transfer("a", 5, 1);
        traffic.transfer("a", 5, 2);
        assertThat(traffic.transfers().made()).containsExactly(java.util.Map.entry(5, 1));
        assertThat(traffic.transfers().redelivered()).isEqualTo(1);
        assertThat(traffic.transfers().takenOver()).isEqualTo(1);
        traffic.transfer("b", 5, 1);
        assertThat(traffic.transfers().made()).containsExactly(java.util.Map.entry(5, 2));
    }

    private int next() {
        return traffic.next().orElseThrow();
    }
}
