package dev.semel.execution;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StackCheckTest {
    /**
     * More frames than a call of Semel's own has down to the driver. A frame of this test takes some 140 bytes where it is
     * interpreted and a third of that where it is compiled, so the check leaves room for about 240 of them at least.
     */
    private static final int ROOM = 150;

    private int refusedAt;
    private int deepest;

    @Test
    void callerIsRejectedWhileThereIsStillRoomForAWholeCall() {
        for (int i = 0; i < 20_000; i++) {
            StackCheck.demand(); // as it is in a service that has run for a while
        }
        try {
            descend(1);
        } catch (StackOverflowError expected) {
            // the end of the stack, which is what it was after
        }
        assertThat(refusedAt).isPositive();
        assertThat(deepest - refusedAt).isGreaterThan(ROOM);
    }

    private void descend(int depth) {
        deepest = depth;
        if (refusedAt == 0) {
            try {
                StackCheck.demand();
            } catch (StackOverflowError refused) {
                refusedAt = depth;
            }
        }
        descend(depth + 1);
    }
}
