package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClaimWindowTest {
    private static final int CONCURRENCY = 4;

    private final ClaimWindow window = new ClaimWindow(CONCURRENCY, new LargePayloads(new PayloadBudget(1)));

    @Test
    void newWindowHasRoomForOneRecordPerHandler() {
        assertThat(window.open()).isEqualTo(CONCURRENCY);
        assertThat(window.isFull()).isFalse();
    }

    @Test
    void windowDoublesWhenItGrowsUpToItsLimit() {
        window.grow();
        assertThat(window.size()).isEqualTo(2 * CONCURRENCY);
        for (int i = 0; i < 20; i++) {
            window.grow();
        }
        assertThat(window.size()).isEqualTo(1_024);
    }

    @Test
    void grownWindowIsClaimedForOnlyWhenAQuarterIsFree() {
        window.grow();
        assertThat(window.leastRoom()).isEqualTo(CONCURRENCY / 2);
    }

    @Test
    void windowHalvesWhenItShrinksButKeepsOneRecordPerHandler() {
        window.grow();
        window.grow();
        window.shrink();
        assertThat(window.size()).isEqualTo(2 * CONCURRENCY);
        window.shrink();
        window.shrink();
        assertThat(window.size()).isEqualTo(CONCURRENCY);
    }

    @Test
    void windowBeginsSmallAfterAFailure() {
        window.grow();
        window.grow();
        window.reset();
        assertThat(window.size()).isEqualTo(CONCURRENCY);
    }
}
