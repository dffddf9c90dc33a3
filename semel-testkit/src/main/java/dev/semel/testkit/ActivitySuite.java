package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityLog.ActivityStep;
import dev.semel.store.ActivityRow;
import dev.semel.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The history of activity, which all nodes on a store share. */
abstract class ActivitySuite extends ContractSuite {
    private static final long NODE = Long.MIN_VALUE;
    private static final long OTHER_NODE = 7;
    private ActivityLog activity;

    @SuppressWarnings("NullAway.Init")
    ActivitySuite(StoreContract contract) {
        super(contract);
    }

    @BeforeEach
    void needActivity() {
        assumeTrue(store.activity().isPresent(), "the store keeps no history of activity");
        activity = store.activity().orElseThrow();
    }

    private static ActivityRow row(long began, String tenant, String operation, long node, long executed) {
        return new ActivityRow(
                ActivityStep.SECONDS, began, tenant, operation, node, ActivityCounts.of(Map.of("executed", executed)));
    }

    private List<ActivityRow> all(String tenant) {
        return activity.read(ActivityStep.SECONDS, tenant, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    @Test
    void countsOfNodesAreSummedByTimeAndOperation() {
        activity.write(List.of(row(START, "", "mail", NODE, 2), row(START, "", "charge", NODE, 30)));
        activity.write(List.of(row(START, "", "mail", OTHER_NODE, 5), row(START + 10_000, "", "mail", NODE, 1)));
        assertThat(all(""))
                .containsExactly(
                        row(START, "", "charge", 0, 30),
                        row(START, "", "mail", 0, 7),
                        row(START + 10_000, "", "mail", 0, 1));
    }

    @Test
    void highestValuesOfNodesAreComparedAndNotSummed() {
        ActivityCounts few = ActivityCounts.of(Map.of("waiting_most", 3L, "executed", 1L));
        ActivityCounts many = ActivityCounts.of(Map.of("waiting_most", 8L, "executed", 1L));
        activity.write(List.of(
                new ActivityRow(ActivityStep.SECONDS, START, "", "mail", NODE, many),
                new ActivityRow(ActivityStep.SECONDS, START, "", "mail", OTHER_NODE, few)));
        assertThat(all("").get(0).counts()).isEqualTo(ActivityCounts.of(Map.of("waiting_most", 8L, "executed", 2L)));
    }

    @Test
    void historyOfManyNodesIsSummedWhileItIsRead() {
        int nodes = 30;
        int times = 100;
        for (int node = 1; node <= nodes; node++) {
            List<ActivityRow> rows = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                rows.add(row(START + i * 10_000L, "", "mail", node, 2));
            }
            activity.write(rows);
        }
        assertThat(all("")).hasSize(times).allSatisfy(row -> {
            assertThat(row.node()).isZero();
            assertThat(row.counts().of("executed")).isEqualTo(2L * nodes);
        });
    }

    @Test
    void rowThatIsWrittenAgainIsReplacedAndNotAdded() {
        activity.write(List.of(row(START, "", "mail", NODE, 2)));
        activity.write(List.of(row(START, "", "mail", NODE, 2)));
        assertThat(all("")).containsExactly(row(START, "", "mail", 0, 2));
        activity.write(List.of(row(START, "", "mail", NODE, 9)));
        assertThat(all("")).containsExactly(row(START, "", "mail", 0, 9));
    }

    @Test
    void spanIncludesItsBeginningAndNotItsEnd() {
        for (int i = 0; i < 5; i++) {
            activity.write(List.of(row(START + i * 10_000L, "", "mail", NODE, i)));
        }
        assertThat(activity.read(ActivityStep.SECONDS, "", START + 10_000, START + 30_000))
                .extracting(ActivityRow::began)
                .containsExactly(START + 10_000, START + 20_000);
        assertThat(activity.read(ActivityStep.MINUTES, "", 0, Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void h4_tenantsHaveTheirOwnRows() {
        activity.write(List.of(
                row(START, "", "mail", NODE, 3),
                row(START, "acme", "mail", NODE, 1),
                row(START, "Acme", "mail", NODE, 2)));
        assertThat(all("acme")).containsExactly(row(START, "acme", "mail", 0, 1));
        assertThat(all("Acme")).containsExactly(row(START, "Acme", "mail", 0, 2));
        assertThat(all("")).containsExactly(row(START, "", "mail", 0, 3));
        assertThat(all("nobody")).isEmpty();
    }

    @Test
    void oldestRowOfAStepIsFound() {
        assertThat(activity.oldest(ActivityStep.SECONDS, "")).isEmpty();
        activity.write(List.of(row(START + 10_000, "", "a", NODE, 1), row(START, "", "b", NODE, 1)));
        assertThat(activity.oldest(ActivityStep.SECONDS, "")).hasValue(START);
        assertThat(activity.oldest(ActivityStep.HOURS, "")).isEmpty();
        assertThat(activity.oldest(ActivityStep.SECONDS, "acme")).isEmpty();
    }

    @Test
    void onlyOldRowsOfTheStepArePurgedSoManyAtATime() {
        List<ActivityRow> rows = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            rows.add(row(START + i * 10_000L, i % 2 == 0 ? "" : "acme", "mail", NODE, 1));
        }
        rows.add(new ActivityRow(ActivityStep.HOURS, START, "", "mail", NODE, ActivityCounts.NONE));
        activity.write(rows);
        assertThat(activity.purge(ActivityStep.SECONDS, START + 50_000, 3)).isEqualTo(3);
        assertThat(activity.purge(ActivityStep.SECONDS, START + 50_000, 3)).isEqualTo(2);
        assertThat(activity.purge(ActivityStep.SECONDS, START + 50_000, 3)).isZero();
        assertThat(all("")).hasSize(2);
        assertThat(all("acme")).hasSize(3);
        assertThat(activity.oldest(ActivityStep.HOURS, "")).hasValue(START);
    }

    @Test
    void namesAndCountsComeBackAsTheyWere() {
        ActivityCounts counts =
                ActivityCounts.of(Map.of("executed", Long.MAX_VALUE, "call_12", 3L, "later_addition", 1L));
        activity.write(List.of(new ActivityRow(ActivityStep.HOURS, START, "acme", "Größe '\" %_", NODE, counts)));
        assertThat(activity.read(ActivityStep.HOURS, "acme", START, START + 1))
                .containsExactly(new ActivityRow(ActivityStep.HOURS, START, "acme", "Größe '\" %_", 0, counts));
        activity.write(List.of());
    }

    @Test
    void nodesThatWriteAtTheSameMomentLoseNothing() throws Exception {
        atOnce(THREADS, number -> {
            activity.write(List.of(row(START, "", "mail", number, 1), row(START, "", "charge", number, 2)));
            return null;
        });
        assertThat(all(""))
                .containsExactly(row(START, "", "charge", 0, 2 * THREADS), row(START, "", "mail", 0, THREADS));
    }

    @Test
    void anotherNodeReadsWhatWasWritten() {
        Store other = contract.reopen(time).orElse(null);
        assumeTrue(other != null, "the store lives and dies with its handle");
        try (other) {
            activity.write(List.of(row(START, "", "mail", NODE, 3)));
            assertThat(other.activity().orElseThrow().read(ActivityStep.SECONDS, "", 0, Long.MAX_VALUE))
                    .containsExactly(row(START, "", "mail", 0, 3));
        }
    }
}
