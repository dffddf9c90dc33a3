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
        schedule.claimed(outcome, 0, 0);
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
        schedule.claimed(ClaimOutcome.NOTHING, 0, 0);
        assertThat(schedule.isDue(0)).isTrue();
    }

    private long pauseAfterSlowClaim() {
        schedule.begin();
        long ended = 2 * LONGEST;
        schedule.claimed(ClaimOutcome.NOTHING, 0, ended);
        return schedule.next(ended) - ended;
    }

    @Test
    void claimThatIsSlowAgainAndAgainIsFollowedByAPauseFromItsEnd() {
        for (int i = 0; i < 10; i++) {
            nextAfter(ClaimOutcome.NOTHING);
        }
        assertThat(pauseAfterSlowClaim())
                .as("the first slow one may be a clock that was moved")
                .isNegative();
        assertThat(pauseAfterSlowClaim()).isEqualTo(LONGEST);
        assertThat(pauseAfterSlowClaim()).isEqualTo(LONGEST);
    }

    @Test
    void quickClaimIsFollowedByAPauseFromItsEnd() {
        for (int i = 0; i < 10; i++) {
            nextAfter(ClaimOutcome.NOTHING);
        }
        schedule.begin();
        schedule.claimed(ClaimOutcome.NOTHING, 0, LONGEST / 2);
        assertThat(schedule.next(LONGEST / 2)).isEqualTo(LONGEST / 2 + LONGEST);
    }
}
