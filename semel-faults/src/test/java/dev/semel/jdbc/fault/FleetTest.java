package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.jdbc.fault.FleetSenders.Way;
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
 * B1 and D12 by channel: three processes on one PostgreSQL, one killed and another started, again and again under load. With
 * {@code -Dsemel.seconds} for so long and every two seconds; otherwise a few times, each as soon as the next has begun.
 */
@Timeout(1_200)
class FleetTest {
    private static final int CARRIERS = 3;
    private static final int SECONDS =
            Integer.getInteger("semel.seconds", Boolean.getBoolean("semel.campaign") ? 60 : 0);
    private static final Duration BETWEEN_KILLS = SECONDS > 0 ? Duration.ofSeconds(2) : Duration.ZERO;
    private static final int KILLS = SECONDS > 0 ? SECONDS / 2 : 5;

    @TempDir
    private Path directory;

    @Test
    void b1_killedWorkersOfAnAtomicChannelLoseNothingAndDoubleNothingAndKeepTheOrder() throws Exception {
        judgedAfterKills(FleetMessage.BOOK).assertHolds(Fleet.KEPT);
    }

    @Test
    void b1_killedWorkersOfALeasedChannelLoseNothingAndApplyNothingTwiceAndKeepTheOrder() throws Exception {
        judgedAfterKills(FleetMessage.CALL).assertHolds(Rule.values());
    }

    private Judgement judgedAfterKills(Channel<FleetMessage> channel) throws Exception {
        try (Fleet fleet = new Fleet(RunDatabases.postgres(), directory, channel, FleetBug.NONE)) {
            Deque<String> carriers = new ArrayDeque<>();
            while (carriers.size() < CARRIERS) {
                carriers.add(fleet.start());
            }
            fleet.load().start();
            long start = System.nanoTime();
            for (int kill = 1; kill <= KILLS; kill++) {
                String victim = carriers.remove();
                fleet.awaitBegun(victim);
                long due = start + kill * BETWEEN_KILLS.toNanos();
                // Sleeps because the pace of the kills is the load of this test.
                Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1_000_000));
                fleet.kill(victim);
                carriers.add(fleet.start());
            }
            fleet.load().stop();
            Duration loaded = Duration.ofNanos(System.nanoTime() - start);
            fleet.awaitEnds();
            Judgement judgement = fleet.judge();
            System.out.println("B1 " + channel.name() + ": " + KILLS + " kills in " + loaded + ", "
                    + fleet.load().accepted().size() + " accepted, " + fleet.takenOver() + " taken over, "
                    + judgement.counts());
            return judgement;
        }
    }

    @Test
    void b1_workerThatFinishesBeforeItsHandlerRanIsCaught() throws Exception {
        try (Fleet fleet = new Fleet(RunDatabases.postgres(), directory, FleetMessage.CALL, FleetBug.FINISHES_FIRST)) {
            fleet.load().send(Way.TOGETHER, FleetMessage.row("free", false, 1, 20));
            String victim = fleet.start();
            fleet.awaitEnds();
            fleet.kill(victim);
            fleet.load().send(Way.TOGETHER, FleetMessage.row("free", false, 21, 22));
            fleet.start(FleetBug.NONE);
            fleet.awaitEnds();
            assertThat(fleet.judge().violations()).extracting(Violation::rule).contains(Rule.R1);
        }
    }

    @Test
    void b1_workerThatIgnoresTheOrderOfLanesIsCaught() throws Exception {
        RunDatabases place = RunDatabases.postgres();
        try (Fleet fleet = new Fleet(place, directory, FleetMessage.CALL, FleetBug.IGNORES_LANES);
                FleetNode carrier = fleet.carrier(place, () -> {})) {
            fleet.load().send(Way.TOGETHER, FleetMessage.row("lane", true, 1, 20));
            fleet.awaitEnds();
            assertThat(carrier.drain()).isTrue();
            assertThat(fleet.judge().violations()).extracting(Violation::rule).contains(Rule.R10);
        }
    }
}
