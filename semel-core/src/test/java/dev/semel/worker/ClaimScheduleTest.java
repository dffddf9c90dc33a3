package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimScheduleTest {
    private static final long SHORTEST = ClaimSchedule.SHORTEST_POLL.toNanos();
    private static final long LONGEST = ClaimSchedule.LONGEST_POLL.toNanos();

    private final ClaimSchedule schedule = new ClaimSchedule(0);

    private long nextAfter(ClaimOutcome outcome) {
        schedule.begin();
        schedule.claimed(outcome, 0);
        return schedule.next(0);
    }

    @Test
    void newChannelIsDueAtOnce() {
        assertThat(schedule.isDue(0)).isTrue();
    }

    @Test
    void claimThatFoundMoreIsFollowedByAnotherAtOnce() {
        assertThat(nextAfter(ClaimOutcome.MORE)).isZero();
    }

    @Test
    void pollIntervalDoublesWhileNothingIsFoundUpToItsLimit() {
        assertThat(nextAfter(ClaimOutcome.NOTHING)).isEqualTo(2 * SHORTEST);
        assertThat(nextAfter(ClaimOutcome.NOTHING)).isEqualTo(4 * SHORTEST);
        for (int i = 0; i < 10; i++) {
            nextAfter(ClaimOutcome.NOTHING);
        }
        assertThat(nextAfter(ClaimOutcome.NOTHING)).isEqualTo(LONGEST);
    }

    @Test
    void fullChannelIsPolledAtTheShortestInterval() {
        nextAfter(ClaimOutcome.NOTHING);
        assertThat(nextAfter(ClaimOutcome.FULL)).isEqualTo(SHORTEST);
    }

    @Test
    void failedClaimIsRetriedAfterTheLongestInterval() {
        schedule.begin();
        schedule.failed(0);
        assertThat(schedule.next(0)).isEqualTo(LONGEST);
    }

    @Test
    void retryThatIsDueBeforeTheNextPollIsClaimedWhenItIsDue() {
        long due = Duration.ofMillis(10).toNanos();
        schedule.retryAt(due);
        schedule.retryAt(LONGEST);
        assertThat(nextAfter(ClaimOutcome.NOTHING)).isEqualTo(due);
    }

    @Test
    void wakeUpDuringAClaimMakesTheNextOneDueAtOnce() {
        schedule.begin();
        schedule.wake();
        schedule.claimed(ClaimOutcome.NOTHING, 0);
        assertThat(schedule.isDue(0)).isTrue();
    }
}
