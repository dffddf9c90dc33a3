package dev.semel.time;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.time.StoreClock.StoredTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StoreClockTest {
    private static final long START = 1_800_000_000_000L;
    private static final Duration YEAR = Duration.ofDays(365);

    /** The wall clock of the store, and time itself. */
    private final ManualTime server = new ManualTime(START);

    private StoredTime kept = StoredTime.NOTHING;

    /** A node that looks at the store. */
    private void look(StoreClock clock) {
        kept = clock.look(kept, server.millis(), clock.nanos());
    }

    private void pass(Duration duration, ManualTime... nodes) {
        server.advance(duration);
        for (ManualTime node : nodes) {
            node.advance(duration);
        }
    }

    @Test
    void a11_timeAdvancesWhileTheWallClockIsSetBackAndForth() {
        StoreClock clock = new StoreClock(server);
        look(clock);
        long last = clock.millis();
        for (Duration jump : new Duration[] {YEAR.negated(), YEAR, YEAR, YEAR.negated()}) {
            server.jump(jump);
            assertThat(clock.millis()).isEqualTo(last);
            assertThat(clock.due()).isTrue();
            look(clock);
            for (int second = 0; second < 10; second++) {
                server.advance(Duration.ofSeconds(1));
                look(clock);
                assertThat(clock.millis() - last).isBetween(980L, 1_020L);
                last = clock.millis();
            }
        }
    }

    @Test
    void nodeThatStartsBelievesTheWallClockButNeverATimeBeforeTheMark() {
        look(new StoreClock(server));
        server.advance(Duration.ofHours(1));
        StoreClock afterAnOutage = new StoreClock(server);
        look(afterAnOutage);
        assertThat(afterAnOutage.millis()).isEqualTo(START + 3_600_000);
        server.jump(YEAR.negated());
        StoreClock behind = new StoreClock(server);
        look(behind);
        assertThat(behind.millis()).isEqualTo(START + 3_600_000);
        server.jump(YEAR);
        StoreClock repaired = new StoreClock(server);
        look(repaired);
        assertThat(repaired.millis())
                .as("the correction is not added to a clock that was repaired")
                .isEqualTo(START + 3_600_000);
    }

    @Test
    void nodeThatSleptAcceptsTheTimeForWhichAnotherOneHasVouched() {
        ManualTime awake = new ManualTime(START);
        ManualTime asleep = new ManualTime(START);
        StoreClock first = new StoreClock(awake);
        StoreClock second = new StoreClock(asleep);
        look(first);
        look(second);
        for (int tick = 0; tick < 60; tick++) {
            pass(Duration.ofSeconds(1), awake);
            look(first);
        }
        asleep.jump(Duration.ofMinutes(1));
        assertThat(second.due()).isTrue();
        look(second);
        assertThat(second.millis()).isEqualTo(first.millis());
        assertThat(kept.ahead()).isZero();
    }

    @Test
    void twoNodesCorrectAJumpOnce() {
        ManualTime one = new ManualTime(START);
        ManualTime two = new ManualTime(START - 7_200_000);
        StoreClock first = new StoreClock(one);
        StoreClock second = new StoreClock(two);
        look(first);
        look(second);
        pass(Duration.ofSeconds(1), one, two);
        server.jump(YEAR);
        look(first);
        look(second);
        assertThat(kept.ahead()).isBetween(-YEAR.toMillis(), -YEAR.toMillis() + 20);
        assertThat(second.millis()).isBetween(first.millis() - 20, first.millis() + 20);
        assertThat(kept.mark()).isBetween(START + 1_000, START + 1_020);
    }

    @Test
    void lookThatTookLongChangesNothing() {
        StoreClock clock = new StoreClock(server);
        look(clock);
        long before = clock.nanos();
        long wall = server.millis();
        server.advance(Duration.ofMinutes(1));
        assertThat(clock.look(kept, wall, before)).isEqualTo(kept);
        assertThat(clock.millis()).isEqualTo(START + 60_000);
    }

    @Test
    void correctionShrinksByAHundredthOfTheElapsedTime() {
        StoreClock clock = new StoreClock(server);
        look(clock);
        server.jump(Duration.ofSeconds(10));
        look(clock);
        assertThat(kept.ahead()).isEqualTo(-10_000);
        for (int second = 0; second < 2_000; second++) {
            server.advance(Duration.ofSeconds(1));
            look(clock);
        }
        assertThat(kept.ahead()).isZero();
        assertThat(clock.millis()).isEqualTo(server.millis());
    }

    @Test
    void beforeTheFirstLookItIsTheWallClock() {
        StoreClock clock = new StoreClock(server);
        assertThat(clock.known()).isFalse();
        assertThat(clock.millis()).isEqualTo(START);
        assertThat(clock.gate().isOpen()).isFalse();
    }
}
