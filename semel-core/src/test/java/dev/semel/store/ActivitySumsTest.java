package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ActivityLog.ActivityStep;
import org.junit.jupiter.api.Test;

/** How much of the history of activity is held while it is read. */
class ActivitySumsTest {
    private static final int NODES = 100;

    @Test
    void rowsOfAllNodesAreHeldAsOneForEachTimeAndOperation() {
        ActivitySums sums = new ActivitySums();
        for (int point = 0; point < 3; point++) {
            for (String operation : new String[] {"charge", "mail"}) {
                for (int node = 1; node <= NODES; node++) {
                    sums.add(new ActivityRow(
                            ActivityStep.SECONDS, point, "", operation, node, ActivityCounts.parse("executed 1")));
                    assertThat(sums.rows()).hasSize(point * 2 + (operation.equals("charge") ? 1 : 2));
                }
            }
        }
        assertThat(sums.rows())
                .extracting(row -> row.counts().of("executed"))
                .hasSize(6)
                .containsOnly((long) NODES);
    }
}
