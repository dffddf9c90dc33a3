package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.store.Permits;
import dev.semel.store.Permits.Take;
import dev.semel.store.Permits.Taken;
import dev.semel.store.Store;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Permits of rate limits, which all nodes on a store share. */
abstract class PermitSuite extends ContractSuite {
    private static final long STEP_MILLIS = 100;
    private static final int BURST = 5;
    private Permits permits;

    @SuppressWarnings("NullAway.Init")
    PermitSuite(StoreContract contract) {
        super(contract);
    }

    @BeforeEach
    void needPermits() {
        assumeTrue(store.permits().isPresent(), "the store does not count for all nodes together");
        permits = store.permits().orElseThrow();
    }

    /** Ten permits a second, five of them at once. */
    private static Take take(String tenant, int wanted, boolean anyway) {
        return new Take("charge", tenant, STEP_MILLIS * 1_000_000, BURST, wanted, anyway);
    }

    private Taken take(int wanted) {
        return permits.take(take("", wanted, false));
    }

    private static long millis(Taken taken) {
        return taken.waitNanos() / 1_000_000;
    }

    @Test
    void fullBucketGivesItsBurstAtOnceAndThenOnePermitAfterEachStep() {
        for (int i = 0; i < BURST; i++) {
            assertThat(take(1).permits()).as("permit %d", i).isEqualTo(1);
        }
        Taken none = take(1);
        assertThat(none.permits()).isZero();
        assertThat(millis(none)).isEqualTo(STEP_MILLIS);
        pass(STEP_MILLIS - 1);
        assertThat(take(1).permits()).isZero();
        pass(1);
        assertThat(take(1).permits()).isEqualTo(1);
        assertThat(take(1).permits()).isZero();
        pass(100 * STEP_MILLIS);
        assertThat(take(99).permits())
                .as("nothing is saved up beside the burst")
                .isEqualTo(BURST);
    }

    @Test
    void chunkIsWhatThereIs() {
        assertThat(take(3).permits()).isEqualTo(3);
        Taken rest = take(3);
        assertThat(rest.permits()).isEqualTo(2);
        assertThat(millis(rest)).isEqualTo(STEP_MILLIS);
        assertThat(take(0)).satisfies(nothing -> {
            assertThat(nothing.permits()).isZero();
            assertThat(millis(nothing)).isEqualTo(STEP_MILLIS);
        });
    }

    @Test
    void bucketCanBeOverdrawnAndIsEmptyUntilThatIsMadeUpFor() {
        Taken overdrawn = permits.take(take("", BURST + 3, true));
        assertThat(overdrawn.permits()).isEqualTo(BURST + 3);
        assertThat(millis(overdrawn)).isEqualTo(4 * STEP_MILLIS);
        pass(4 * STEP_MILLIS - 1);
        assertThat(take(1).permits()).isZero();
        pass(1);
        assertThat(take(2).permits()).isEqualTo(1);
    }

    @Test
    void limitThatIsRaisedTakesEffectSoon() {
        long hour = 3_600_000_000_000L;
        permits.take(new Take("charge", "", hour, 1, 1, false));
        assertThat(permits.take(new Take("charge", "", hour, 1, 1, false)).permits())
                .isZero();
        Taken raised = take(1);
        assertThat(raised.permits()).isZero();
        pass(millis(raised));
        assertThat(millis(raised)).isLessThanOrEqualTo(Permits.MOST_OVERDRAWN * BURST * STEP_MILLIS);
        assertThat(take(1).permits()).isEqualTo(1);
    }

    @Test
    void tenantsAndOperationsHaveTheirOwnPermits() {
        assertThat(take(BURST).permits()).isEqualTo(BURST);
        for (String tenant : List.of("acme", "Acme", "acme ")) {
            assertThat(permits.take(take(tenant, BURST + 1, false)).permits())
                    .as(tenant)
                    .isEqualTo(BURST);
        }
        assertThat(permits.take(new Take("refund", "", STEP_MILLIS * 1_000_000, BURST, 1, false))
                        .permits())
                .isEqualTo(1);
        assertThat(take(1).permits()).isZero();
    }

    @Test
    void onlyFullBucketsAreRemoved() {
        permits.take(take("acme", 1, false));
        permits.take(take("other", BURST, false));
        pass(STEP_MILLIS);
        assertThat(permits.removeFull()).isEqualTo(1);
        assertThat(permits.take(take("other", BURST, false)).permits()).isEqualTo(1);
        assertThat(permits.take(take("acme", BURST, false)).permits()).isEqualTo(BURST);
        assertThat(permits.removeFull()).isZero();
    }

    @Test
    void nodesThatTakeAtTheSameMomentGetNoMoreThanThereIs() throws Exception {
        List<Integer> taken = atOnce(THREADS, number -> take(1).permits());
        assertThat(taken.stream().mapToInt(each -> each).sum()).isEqualTo(BURST);
    }

    @Test
    void anotherNodeSeesWhatWasTaken() {
        Store other = contract.reopen(time).orElse(null);
        assumeTrue(other != null, "the store lives and dies with its handle");
        try (other) {
            assertThat(take(BURST - 1).permits()).isEqualTo(BURST - 1);
            assertThat(other.permits()
                            .orElseThrow()
                            .take(take("", BURST, false))
                            .permits())
                    .isEqualTo(1);
            assertThat(take(1).permits()).isZero();
        }
    }
}
