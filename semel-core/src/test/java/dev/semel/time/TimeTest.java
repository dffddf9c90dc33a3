package dev.semel.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class TimeTest {
    @Test
    void sleepingMovesTheManualClockAndAJumpMovesOnlyTheWall() throws Exception {
        ManualTime time = new ManualTime(1_000);
        time.sleep(Duration.ofSeconds(2));
        assertThat(time.millis()).isEqualTo(3_000);
        assertThat(time.nanos()).isEqualTo(2_000_000_000L);
        time.sleep(Duration.ofSeconds(-5));
        time.jump(Duration.ofHours(-1));
        assertThat(time.nanos()).isEqualTo(2_000_000_000L);
        assertThat(time.millis()).isEqualTo(3_000 - 3_600_000);
    }

    @Test
    void boundedWaitAtAShutManualGateMovesTheClockAndGivesUp() throws Exception {
        ManualTime time = new ManualTime(0);
        TimeSource.Gate gate = time.gate();
        assertThat(gate.await(Duration.ofSeconds(1))).isFalse();
        assertThat(time.millis()).isEqualTo(1_000);
        gate.open();
        assertThat(gate.isOpen()).isTrue();
        assertThat(gate.await(Duration.ofSeconds(1))).isTrue();
        gate.await();
        assertThat(time.millis()).isEqualTo(1_000);
    }

    @Test
    void interruptEndsASleepOnEveryClock() {
        for (TimeSource time :
                new TimeSource[] {new ManualTime(0), TimeSource.system(), TimeSource.of(Clock.systemUTC())}) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> time.sleep(Duration.ofSeconds(100))).isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    void waitByAGivenClockEndsWhenTheClockSaysSo() throws Exception {
        AtomicLong looks = new AtomicLong();
        TimeSource time = TimeSource.of(() -> Instant.ofEpochSecond(600 * looks.incrementAndGet()));
        TimeSource.Gate gate = time.gate();
        long before = time.nanos();
        time.sleep(Duration.ofHours(1));
        assertThat(time.nanos() - before)
                .isGreaterThan(Duration.ofHours(1).toNanos())
                .isLessThan(Duration.ofHours(3).toNanos());
        assertThat(time.millis()).isEqualTo(600_000 * looks.get());
        time.sleep(Duration.ofSeconds(-1));
        assertThat(gate.await(Duration.ZERO)).isFalse();
        Thread opener = new Thread(gate::open);
        opener.start();
        gate.await();
        assertThat(gate.await(Duration.ofDays(1))).isTrue();
        opener.join();
    }

    @Test
    void givenClockThatIsSetBackTurnsNoTimeBack() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.ofEpochSecond(100));
        TimeSource time = TimeSource.of(now::get);
        now.set(Instant.ofEpochSecond(110));
        long before = time.nanos();
        now.set(Instant.ofEpochSecond(90));
        assertThat(time.nanos()).isEqualTo(before);
        assertThat(time.millis()).isEqualTo(90_000);
    }

    @Test
    void systemsGateOpensForThoseWhoWait() throws Exception {
        TimeSource time = TimeSource.system();
        TimeSource.Gate gate = time.gate();
        assertThat(gate.await(Duration.ofNanos(1))).isFalse();
        Thread opener = new Thread(gate::open);
        opener.start();
        gate.await();
        assertThat(gate.await(Duration.ofDays(1_000_000))).isTrue();
        time.sleep(Duration.ZERO);
        assertThat(time.millis()).isPositive();
        opener.join();
    }
}
