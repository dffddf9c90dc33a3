package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Judgement.Violation;
import dev.semel.testkit.history.Rule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * B1 and D12 by channel: three processes on one PostgreSQL, one killed every two seconds and another started, under load.
 * {@code -Dsemel.seconds} changes how long, which is how often.
 */
@Timeout(1_200)
class FleetTest {
    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(2);
    private static final int CARRIERS = 3;
    private static final int KILLS =
            Integer.getInteger("semel.seconds", Boolean.getBoolean("semel.campaign") ? 60 : 10) / 2;

    @TempDir
    private Path directory;

    @Test
    void b1_killedWorkersOfAnAtomicChannelLoseNothingAndDoubleNothingAndKeepTheOrder() throws Exception {
        Judgement judgement = judged(Parcel.BOOK, Slip.NONE, KILLS);
        judgement.assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9, Rule.R10);
    }

    @Test
    void b1_killedWorkersOfALeasedChannelLoseNothingAndApplyNothingTwiceAndKeepTheOrder() throws Exception {
        Judgement judgement = judged(Parcel.CALL, Slip.NONE, KILLS);
        judgement.assertHolds(
                Rule.R1, Rule.R2, Rule.R3, Rule.R4, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9, Rule.R10);
    }

    @Test
    void b1_aWorkerThatFinishesBeforeItsHandlerRanIsCaught() throws Exception {
        assertThat(judged(Parcel.CALL, Slip.FINISHES_FIRST, 1).violations())
                .extracting(Violation::rule)
                .contains(Rule.R1);
    }

    @Test
    void b1_aWorkerThatIgnoresTheOrderOfLanesIsCaught() throws Exception {
        assertThat(judged(Parcel.CALL, Slip.IGNORES_LANES, 1).violations())
                .extracting(Violation::rule)
                .contains(Rule.R10);
    }

    private Judgement judged(Channel<Parcel> channel, Slip slip, int kills) throws Exception {
        try (Fleet fleet = new Fleet(Place.postgres(), directory, channel, slip)) {
            Deque<String> carriers = new ArrayDeque<>();
            while (carriers.size() < CARRIERS) {
                carriers.add(fleet.start());
            }
            fleet.load().start();
            long start = System.nanoTime();
            for (int kill = 1; kill <= kills; kill++) {
                String victim = carriers.remove();
                fleet.awaitBegun(victim);
                long due = start + kill * BETWEEN_KILLS.toNanos();
                Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1_000_000));
                fleet.kill(victim);
                carriers.add(fleet.start());
            }
            fleet.load().stop();
            Duration loaded = Duration.ofNanos(System.nanoTime() - start);
            fleet.awaitEnds();
            Judgement judgement = fleet.judge();
            System.out.println("B1 " + channel.name() + " " + slip + ": " + kills + " kills in " + loaded + ", "
                    + fleet.load().accepted().size() + " accepted, " + fleet.takenOver() + " taken over, "
                    + judgement.counts());
            return judgement;
        }
    }
}
