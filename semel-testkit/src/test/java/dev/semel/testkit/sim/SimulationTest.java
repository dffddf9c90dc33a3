package dev.semel.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@code -Dseeds=N} runs so many seeds instead of 2,000; {@code -Dseed=N} runs that one alone and tells its story;
 * {@code -Dfrom=N} begins there.
 */
class SimulationTest {
    private static final long FROM = Long.getLong("from", 1);
    private static final int SEEDS = Integer.getInteger("seeds", 2_000);

    private final Simulation simulation = Simulation.of(StoreUnderTest.NONE);

    @Test
    void everySeedHolds() {
        Long alone = Long.getLong("seed");
        if (alone != null) {
            Simulation.Report report = simulation.tell(alone);
            assertThat(report.holds()).as(report.shown()).isTrue();
            return;
        }
        List<Long> failing = new ArrayList<>();
        for (long seed = FROM; seed < FROM + SEEDS; seed++) {
            if (!simulation.run(seed).holds()) {
                failing.add(seed);
            }
        }
        if (!failing.isEmpty()) {
            fail(failing.size() + " of " + SEEDS + " seeds fail: " + failing + "\n"
                    + simulation.tell(failing.get(0)).shown());
        }
    }

    @Test
    void sameSeedGivesTheSameTrace() {
        for (long seed = FROM; seed < FROM + 50; seed++) {
            assertThat(simulation.run(seed).trace())
                    .as("seed %d", seed)
                    .isEqualTo(simulation.tell(seed).trace());
        }
    }

    @Test
    void d16_storeRefusesReservationsMessagesAndResults() {
        StringBuilder stories = new StringBuilder();
        for (long seed = 1; seed <= 50; seed++) {
            stories.append(simulation.tell(seed).shown());
        }
        assertThat(stories).contains("RESERVE REFUSES", "ENQUEUE REFUSES", "MOVE REFUSES", "WRITE REFUSES");
    }

    @Test
    void d12_externalWorkersLoseRepliesRepeatThemselvesAndDie() {
        StringBuilder stories = new StringBuilder();
        for (long seed = 1; seed <= 100; seed++) {
            stories.append(simulation.tell(seed).shown());
        }
        assertThat(stories)
                .contains("claim claim-1 by n", "renew by n", "finish by n", "fail by n", "release by n")
                .contains("lost the reply", "gave a claim up", "dies with what it was granted")
                .contains("dies between two messages", "is not begun: its lease may be over");
    }

    @Test
    void seedsDiffer() {
        assertThat(simulation.run(1).trace()).isNotEqualTo(simulation.run(2).trace());
    }
}
